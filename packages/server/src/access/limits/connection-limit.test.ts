import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Response } from "express";
import { expect, test } from "vitest";
import { createConnectionLimit } from "./connection-limit.js";

function openLimit(count: number) {
  const limit = createConnectionLimit(count);
  const accept = () => {
    const socket = new Socket();
    limit.add(socket);
    return socket;
  };
  /** Starts a request; returns a function that ends it. */
  const startRequest = (socket: Socket) => {
    const answer = { status: 0, headers: {} as Record<string, string>, isPassed: false };
    const response = Object.assign(new EventEmitter(), {
      setHeader: (name: string, value: string) => {
        answer.headers[name] = value;
      },
      status: (code: number) => {
        answer.status = code;
        return { json: () => {} };
      },
    });
    limit.middleware(
      { socket } as IncomingMessage as never,
      response as unknown as Response,
      () => {
        answer.isPassed = true;
      },
    );
    return { answer, end: () => response.emit("close") };
  };
  return { limit, accept, startRequest };
}

test("a socket beyond the limit replaces the one that was idle longest", () => {
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

test("the oldest socket without a request is replaced if no socket is idle", () => {
  const { accept, startRequest } = openLimit(3);
  const [busy, oldest, newer] = [accept(), accept(), accept()];
  startRequest(busy);

  accept();

  expect([busy, oldest, newer].map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
});

test("a new socket is refused while all others are in use", () => {
  const { limit, accept, startRequest } = openLimit(2);
  const [http, webSocket] = [accept(), accept()];
  startRequest(http);
  limit.markUpgraded({ socket: webSocket } as IncomingMessage);

  const extra = accept();
  const { answer } = startRequest(extra);

  expect(answer).toEqual({
    status: 503,
    headers: { Connection: "close", "Retry-After": "1" },
    isPassed: false,
  });
  expect(() => limit.check(extra)).toThrow("2 connections are open already");
  expect(() => limit.check(http)).not.toThrow();
  expect([http, webSocket].map(({ destroyed }) => destroyed)).toEqual([false, false]);
  extra.destroy();
});

test("a socket is idle only when its last request has ended", () => {
  const { accept, startRequest } = openLimit(1);
  const socket = accept();
  const [one, other] = [startRequest(socket), startRequest(socket)];

  one.end();
  const refused = accept();
  other.end();
  const taken = accept();

  expect(startRequest(refused).answer.isPassed).toBe(false);
  expect(socket.destroyed).toBe(true);
  expect(startRequest(taken).answer.isPassed).toBe(true);
  refused.destroy();
});

test("a closed socket is no longer counted, and an open socket is counted once", async () => {
  const { limit, accept, startRequest } = openLimit(1);
  const first = accept();
  startRequest(first);
  limit.add(first);
  first.destroy();
  await new Promise((resolve) => first.once("close", resolve));

  expect(startRequest(accept()).answer.isPassed).toBe(true);
  expect(limit.hardLimit).toBe(33);
});
