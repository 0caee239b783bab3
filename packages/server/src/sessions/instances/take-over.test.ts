import { expect, onTestFinished, test, vi } from "vitest";
import { createTakeOver } from "./take-over.js";

function openTakeOver(everyMs: number) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const ends: ((reason?: Error) => void)[] = [];
  const takeOver = createTakeOver({
    everyMs,
    takeOver: () =>
      new Promise((resolve, reject) => {
        ends.push((reason) => (reason === undefined ? resolve() : reject(reason)));
      }),
  });
  onTestFinished(() => void takeOver.close());
  return { ...takeOver, ends };
}

test("takeovers are repeated at an interval, one run at a time", async () => {
  const { start, ends } = openTakeOver(1_000);
  start();
  start();

  vi.advanceTimersByTime(999);
  const early = ends.length;
  vi.advanceTimersByTime(2_001);
  const whileRunning = ends.length;
  ends[0]?.(new Error("the store is away"));
  await new Promise(setImmediate);
  vi.advanceTimersByTime(1_000);

  expect([early, whileRunning, ends.length]).toEqual([0, 1, 2]);
});

test("closing ends the timer, and waits for the run that is under way", async () => {
  const { start, close, ends } = openTakeOver(1_000);
  start();
  vi.advanceTimersByTime(1_000);

  const running = close();
  let hasEnded = false;
  running.then(() => {
    hasEnded = true;
  });
  await new Promise(setImmediate);
  const before = hasEnded;
  ends[0]?.();
  await running;
  await new Promise(setImmediate);
  vi.advanceTimersByTime(10_000);

  expect([before, hasEnded, ends.length]).toEqual([false, true, 1]);
  await expect(close()).resolves.toBeUndefined();
});
