import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemWallClock } from "./wall-clock.js";
import { startWatchdog } from "./watchdog.js";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Opens a watchdog that allows 900 ms of silence, and counts the calls of `onSilence`. */
function openWatchdog() {
  let silences = 0;
  const onSilence = () => {
    silences += 1;
  };
  const watchdog = startWatchdog(900, onSilence, systemWallClock);
  return { watchdog, silences: () => silences };
}

test("silence is reported once, when the allowed time has passed", () => {
  const { silences } = openWatchdog();

  vi.advanceTimersByTime(899);
  expect(silences()).toBe(0);
  vi.advanceTimersByTime(1);
  expect(silences()).toBe(1);
  vi.advanceTimersByTime(9_000);

  expect(silences()).toBe(1);
});

test("touch() restarts the allowed time of silence", () => {
  const { watchdog, silences } = openWatchdog();

  for (let i = 0; i < 5; i += 1) {
    vi.advanceTimersByTime(800);
    watchdog.touch();
  }
  expect(silences()).toBe(0);
  vi.advanceTimersByTime(1_200);

  expect(silences()).toBe(1);
});

test("a blocked program reads buffered data before it reports silence", () => {
  const { watchdog, silences } = openWatchdog();

  vi.setSystemTime(Date.now() + 5_000);
  vi.advanceTimersByTime(300);
  watchdog.touch();
  vi.advanceTimersByTime(899);

  expect(silences()).toBe(0);
});

test("silence is reported soon after the machine has slept", () => {
  const { silences } = openWatchdog();

  vi.setSystemTime(Date.now() + 3_600_000);
  vi.advanceTimersByTime(900);

  expect(silences()).toBe(1);
});

test("a watchdog reports nothing while it is paused, and after it was stopped", () => {
  const { watchdog, silences } = openWatchdog();

  watchdog.pause();
  vi.advanceTimersByTime(9_000);
  expect(silences()).toBe(0);
  watchdog.touch();
  watchdog.stop();
  vi.advanceTimersByTime(9_000);

  expect(silences()).toBe(0);
});

test("a watchdog without a limit does nothing", () => {
  startWatchdog(undefined, () => expect.unreachable(), systemWallClock);

  vi.advanceTimersByTime(1e9);

  expect(vi.getTimerCount()).toBe(0);
});
