import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Response } from "express";
import { expect, onTestFinished, test, vi } from "vitest";
import { createConnectionLimit } from "./connection-limit.js";

function openLimit(count: number) {
  const limit = createConnectionLimit(count);
  const accept = () => {
    const socket = new Socket();
    limit.add(socket);
    return socket;
  };
  /** Starts a request. Returns its answer and a function that ends the request. */
  const startRequest = (socket: Socket) => {
    const answer = {
      status: 0,
      headers: {} as Record<string, string>,
      body: undefined as unknown,
      isPassed: false,
    };
    const response = Object.assign(new EventEmitter(), {
      setHeader: (name: string, value: string) => {
        answer.headers[name] = value;
      },
      status: (code: number) => {
        answer.status = code;
        return {
          json: (body: unknown) => {
            answer.body = body;
          },
        };
      },
    });
    limit.middleware(
      { socket, headers: {} } as IncomingMessage as never,
      response as unknown as Response,
      () => {
        answer.isPassed = true;
      },
    );
    return { answer, end: () => response.emit("close") };
  };
  return { limit, accept, startRequest };
}

test("a new socket at the limit replaces the socket that was idle longest", () => {
  const { accept, startRequest } = openLimit(3);
  const [first, second, unused] = [accept(), accept(), accept()];
  const ends = [second, first].map((socket) => startRequest(socket).end);
  for (const end of ends) end();

  const next = accept();

  expect([first, second, unused, next].map(({ destroyed }) => destroyed)).toEqual([
    false,
    true,
    false,
    false,
  ]);
});

test("if no socket is idle, a new socket replaces the oldest one that never sent a request", () => {
  const { accept, startRequest } = openLimit(3);
  const [busy, oldest, newer] = [accept(), accept(), accept()];
  startRequest(busy);

  accept();

  expect([busy, oldest, newer].map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
});

test("a new socket at the limit is refused while all others are in use", () => {
  const { limit, accept, startRequest } = openLimit(2);
  const [http, webSocket] = [accept(), accept()];
  startRequest(http);
  limit.markUpgraded({ socket: webSocket } as IncomingMessage);

  const extra = accept();
  const { answer } = startRequest(extra);

  expect(answer).toMatchObject({
    status: 503,
    headers: { Connection: "close", "Retry-After": "1" },
    body: { error: { message: expect.stringContaining("2 connections are open already") } },
    isPassed: false,
  });
  expect(() => limit.check(extra)).toThrow(
    expect.objectContaining({ code: "agent-busy", data: { retryAfterMs: 1_000 } }),
  );
  expect(() => limit.check(http)).not.toThrow();
  expect([http, webSocket].map(({ destroyed }) => destroyed)).toEqual([false, false]);
  extra.destroy();
});

test("a socket with two requests is idle only after both have ended", () => {
  const { accept, startRequest } = openLimit(1);
  const socket = accept();
  const [one, other] = [startRequest(socket), startRequest(socket)];

  one.end();
  const refused = accept();
  other.end();
  const accepted = accept();

  expect(startRequest(refused).answer.isPassed).toBe(false);
  expect(socket.destroyed).toBe(true);
  expect(startRequest(accepted).answer.isPassed).toBe(true);
  refused.destroy();
});

test("a closed socket is not counted, and a socket that is added twice is counted once", async () => {
  const { limit, accept, startRequest } = openLimit(1);
  const first = accept();
  startRequest(first);
  limit.add(first);
  expect(() => limit.check(first)).not.toThrow();
  first.destroy();
  await new Promise((resolve) => first.once("close", resolve));

  expect(startRequest(accept()).answer.isPassed).toBe(true);
  expect(limit.hardLimit).toBe(33);
});

test("a refused socket gets only one answer, even if it sends two requests", () => {
  const { limit, accept, startRequest } = openLimit(1);
  const busy = accept();
  const request = startRequest(busy);
  const refused = accept();
  onTestFinished(() => void refused.destroy());

  const answers = [startRequest(refused), startRequest(refused)].map(({ answer }) => answer.status);
  request.end();
  limit.add(refused);

  expect(answers).toEqual([503, 0]);
  expect(busy.destroyed).toBe(false);
  expect(() => limit.check(refused)).toThrow("1 connections are open already");
});

test("a refused socket that sends no request is closed after a second", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { accept, startRequest } = openLimit(1);
  startRequest(accept());
  const refused = accept();

  vi.advanceTimersByTime(999);
  expect(refused.destroyed).toBe(false);
  vi.advanceTimersByTime(1);

  expect(refused.destroyed).toBe(true);
});

test("the timer of a refused socket is cleared when the socket closes", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { accept, startRequest } = openLimit(1);
  startRequest(accept());

  const refused = accept();
  refused.destroy();
  await new Promise((resolve) => refused.once("close", resolve));

  expect(vi.getTimerCount()).toBe(0);
});

test("an idle socket is in use during its next request, and idle again after the request", () => {
  const { accept, startRequest } = openLimit(1);
  const socket = accept();
  startRequest(socket).end();

  const second = startRequest(socket);
  const refused = accept();
  onTestFinished(() => void refused.destroy());
  expect([socket.destroyed, startRequest(refused).answer.isPassed]).toEqual([false, false]);

  second.end();
  expect(startRequest(accept()).answer.isPassed).toBe(true);
  expect(socket.destroyed).toBe(true);
});

test.each([
  ["idle", true],
  ["unused", false],
])("a new socket replaces an open %s socket, not a closed one", async (_kind, isUsed) => {
  const { accept, startRequest } = openLimit(1);
  const open = () => {
    const socket = accept();
    if (isUsed) startRequest(socket).end();
    return socket;
  };
  const closed = open();
  closed.destroy();
  await new Promise((resolve) => closed.once("close", resolve));
  const replaced = open();

  const next = accept();

  expect([startRequest(next).answer.isPassed, replaced.destroyed]).toEqual([true, true]);
});

test("a socket is closed when it has 33 unanswered requests", () => {
  const { accept, startRequest } = openLimit(1);
  const socket = accept();

  const passed = Array.from({ length: 33 }, () => {
    const { answer } = startRequest(socket);
    return answer.isPassed && !socket.destroyed;
  });

  expect(passed).toEqual([...Array<boolean>(32).fill(true), false]);
  expect(socket.destroyed).toBe(true);
});

test("a socket that is marked as used is not replaced until its mark ends", () => {
  const { limit, accept } = openLimit(2);
  const [first, second] = [accept(), accept()];

  const end = limit.markUsed(first);
  const third = accept();
  limit.markUsed(third);
  const whileUsed = [first.destroyed, second.destroyed];
  end();
  accept();

  expect(whileUsed).toEqual([false, true]);
  expect([first.destroyed, third.destroyed]).toEqual([true, false]);
  expect(() => limit.check(third)).not.toThrow();
});
