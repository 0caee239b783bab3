import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startPinging } from "./pinging.js";
import { systemWallClock } from "./wall-clock.js";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Pings a peer that may be silent for 900 ms, and records the callbacks. */
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
function holdUp(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

test("a peer that answers no ping is given up after the allowed silence", () => {
  const { happened } = openPinging();

  vi.advanceTimersByTime(899);
  expect(happened).toEqual(["ping", "ping"]);
  vi.advanceTimersByTime(1);

  expect(happened).toEqual(["ping", "ping", "silence"]);
});

test("a blocked program pings its peer before it gives it up", () => {
  const { happened, pinging } = openPinging();

  holdUp(5_000);
  vi.advanceTimersByTime(300);
  expect(happened).toEqual(["ping"]);
  pinging.received();
  vi.advanceTimersByTime(899);

  expect(happened).toEqual(["ping", "ping", "ping"]);
});

test("after a machine wakes, a dead peer is given up after two pings", () => {
  const { happened } = openPinging();

  holdUp(3_600_000);
  vi.advanceTimersByTime(900);

  expect(happened).toEqual(["ping", "ping", "silence"]);
});
