import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startPinging } from "./pinging.js";
import { systemWallClock } from "./wall-clock.js";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Pings an agent with an allowed silence of 900 ms, and records the callbacks. */
function openPinging() {
  const happened: string[] = [];
  const pinging = startPinging({
    silenceMs: 900,
    now: systemWallClock,
    isNeeded: () => true,
    ping: () => happened.push("ping"),
    onSilence: () => happened.push("silence"),
  });
  return { happened, pinging };
}

/** Advances the clock without running a timer, like a blocked program. */
function block(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

test("onSilence is called after the allowed silence if no ping is answered", () => {
  const { happened } = openPinging();

  vi.advanceTimersByTime(899);
  expect(happened).toEqual(["ping", "ping"]);
  vi.advanceTimersByTime(1);

  expect(happened).toEqual(["ping", "ping", "silence"]);
});

test("a program that was blocked pings before it reports silence", () => {
  const { happened, pinging } = openPinging();

  block(5_000);
  vi.advanceTimersByTime(300);
  expect(happened).toEqual(["ping"]);
  pinging.received();
  vi.advanceTimersByTime(899);

  expect(happened).toEqual(["ping", "ping", "ping"]);
});

test("after the machine has slept, silence is reported after two pings", () => {
  const { happened } = openPinging();

  block(3_600_000);
  vi.advanceTimersByTime(900);

  expect(happened).toEqual(["ping", "ping", "silence"]);
});
