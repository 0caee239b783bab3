import { ProtocolError } from "@dt/schema";
import { afterEach, expect, test, vi } from "vitest";
import { TransportError } from "../../errors/transport-error.js";
import { createConnectionMonitor } from "../connection-monitor.js";
import { createAttempts } from "./attempts.js";

const broken = new TransportError("unreachable", "nobody there");

function openAttempts(maxAttempts: number, baseMs = 1) {
  const monitor = createConnectionMonitor();
  const seen: string[] = [];
  monitor.onChange(({ status }) => seen.push(status));
  const closing = new AbortController();
  const schedule = { baseMs, maxMs: baseMs, maxAttempts };
  const attempts = createAttempts({ schedule, closing: closing.signal, monitor });
  return { attempts, monitor, seen };
}

afterEach(() => {
  vi.useRealTimers();
});

test("a client that gave up is disconnected, and connected after the next success", async () => {
  const { attempts, seen } = openAttempts(2);

  await expect(attempts.run(async () => Promise.reject(broken))).rejects.toBe(broken);
  await attempts.run(async () => "there again");

  expect(seen).toEqual(["reconnecting", "disconnected", "connected"]);
});

test("a refusal by the agent reports the connection as connected", async () => {
  const { attempts, seen } = openAttempts(9);
  const refusal = new ProtocolError("task-not-found", "no");
  const failures = [broken, refusal];

  await expect(attempts.run(async () => Promise.reject(failures.shift()))).rejects.toBe(refusal);

  expect(seen).toEqual(["reconnecting", "connected"]);
});

test("aborting a pause reports disconnected, because no attempt follows", async () => {
  const { attempts, monitor } = openAttempts(9, 60_000);
  const leaving = new AbortController();
  const running = attempts.run(async () => Promise.reject(broken), leaving.signal);
  monitor.onChange(() => leaving.abort());

  await expect(running).rejects.toThrow();

  expect(monitor.state).toEqual({ status: "disconnected", reason: broken });
});

test("a permanent error is thrown at once, and a reconnecting client becomes disconnected", async () => {
  const unreadable = new TransportError("unreadable", "not JSON");
  const fresh = openAttempts(9);
  const reconnecting = openAttempts(9);
  const failures = [broken, unreadable];

  await expect(fresh.attempts.run(async () => Promise.reject(unreadable))).rejects.toBe(unreadable);
  await expect(
    reconnecting.attempts.run(async () => Promise.reject(failures.shift())),
  ).rejects.toBe(unreadable);

  expect(fresh.seen).toEqual([]);
  expect(reconnecting.seen).toEqual(["reconnecting", "disconnected"]);
});

test("a busy agent gets six attempts, and an unreachable agent gets maxAttempts", async () => {
  const busy = new ProtocolError("agent-busy", "wait");
  const attemptsOf = async (reason: unknown, maxAttempts: number) => {
    const numbers: number[] = [];
    const { attempts } = openAttempts(maxAttempts);
    const running = attempts.run(async (_signal, attempt) => {
      numbers.push(attempt);
      throw reason;
    });
    await expect(running).rejects.toBe(reason);
    return numbers;
  };

  expect(await attemptsOf(busy, 99)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(await attemptsOf(busy, 2)).toEqual([0, 1]);
  expect(await attemptsOf(broken, 8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test("the pause after a refusal is at least as long as the agent asks for, and never over two minutes [SRV-19]", async () => {
  vi.useFakeTimers();
  const pausesAfter = async (retryAfterMs: unknown) => {
    const { attempts, monitor } = openAttempts(2);
    const pauses: number[] = [];
    monitor.onChange((state) => {
      if (state.status === "reconnecting") pauses.push(state.retryInMs);
    });
    const limited = new ProtocolError("rate-limited", "wait", { data: { retryAfterMs } });
    const running = attempts.run(async () => Promise.reject(limited));
    await Promise.all([expect(running).rejects.toBe(limited), vi.runAllTimersAsync()]);
    return pauses;
  };

  expect(await pausesAfter(30_000)).toEqual([30_000]);
  expect(await pausesAfter(1e12)).toEqual([120_000]);
  expect(await pausesAfter("soon")).toEqual([1]);
  expect(await pausesAfter(-5)).toEqual([1]);
});

test("listeners receive the number, delay and reason of the next attempt", async () => {
  const { attempts, monitor } = openAttempts(3, 8);
  const states: object[] = [];
  monitor.onChange((state) => states.push(state));

  await expect(attempts.run(async () => Promise.reject(broken))).rejects.toBe(broken);

  expect(states).toEqual([
    { status: "reconnecting", attempt: 1, retryInMs: expect.any(Number), reason: broken },
    { status: "reconnecting", attempt: 2, retryInMs: expect.any(Number), reason: broken },
    { status: "disconnected", reason: broken },
  ]);
});

test("a closed client makes no more attempts", async () => {
  const monitor = createConnectionMonitor();
  const closing = new AbortController();
  const schedule = { baseMs: 1, maxMs: 1 };
  const attempts = createAttempts({ schedule, closing: closing.signal, monitor });
  let calls = 0;
  const running = attempts.run(async (signal) => {
    calls += 1;
    closing.abort(new Error("closed"));
    signal.throwIfAborted();
  });

  await expect(running).rejects.toThrow("closed");
  await expect(attempts.run(async () => "never")).rejects.toThrow("closed");
  expect(calls).toBe(1);
});

test("a request whose signal is aborted already is never sent", async () => {
  const { attempts, seen } = openAttempts(9);
  const reason = new Error("left");
  let sent = 0;

  const running = attempts.run(async () => {
    sent += 1;
  }, AbortSignal.abort(reason));

  await expect(running).rejects.toBe(reason);
  expect(sent).toBe(0);
  expect(seen).toEqual([]);
});

test("a client with maxAttempts 1 is disconnected by its first failure", async () => {
  const { attempts, seen } = openAttempts(1);

  await expect(attempts.run(async () => Promise.reject(broken))).rejects.toBe(broken);

  expect(seen).toEqual(["disconnected"]);
});

test("a failure after the abort is not reported, and the abort's reason is thrown", async () => {
  const { attempts, seen } = openAttempts(9);
  const leaving = new AbortController();

  const running = attempts.run(async () => {
    leaving.abort(new Error("left"));
    throw broken;
  }, leaving.signal);

  await expect(running).rejects.toThrow("left");
  expect(seen).toEqual([]);
});

test("the second attempt starts after at least half of baseMs", async () => {
  vi.useFakeTimers();
  const { attempts } = openAttempts(2, 1_000);
  let calls = 0;
  const running = attempts.run(async () => {
    calls += 1;
    if (calls === 1) throw broken;
  });

  await vi.advanceTimersByTimeAsync(499);
  const early = calls;
  await vi.advanceTimersByTimeAsync(501);
  await running;

  expect([early, calls]).toEqual([1, 2]);
});
