import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startPinging } from "./pinging.js";
import { systemWallClock } from "./wall-clock.js";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Pings a peer that may be silent for 900 ms, and keeps what happened. */
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

/** Lets time pass without running a timer, as a program does that is held up. */
function holdUp(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

test("a peer that answers no ping is given up after the silence that is allowed", () => {
  const { happened } = openPinging();

  vi.advanceTimersByTime(899);
  expect(happened).toEqual(["ping", "ping"]);
  vi.advanceTimersByTime(1);

  expect(happened).toEqual(["ping", "ping", "silence"]);
});

test("a program that was held up pings its peer before it gives it up", () => {
  const { happened, pinging } = openPinging();

  holdUp(5_000);
  vi.advanceTimersByTime(300);
  expect(happened).toEqual(["ping"]);
  pinging.heard();
  vi.advanceTimersByTime(899);

  expect(happened).toEqual(["ping", "ping", "ping"]);
});

test("a peer that is gone when a machine wakes is given up after two pings", () => {
  const { happened } = openPinging();

  holdUp(3_600_000);
  vi.advanceTimersByTime(900);

  expect(happened).toEqual(["ping", "ping", "silence"]);
});
