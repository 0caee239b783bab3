import { afterEach, expect, test, vi } from "vitest";
import { takeBreath } from "./take-breath.js";

afterEach(() => {
  vi.useRealTimers();
});

/** Whether others get a turn before a reader goes on. */
async function letsOthersIn(): Promise<boolean> {
  let isIn = false;
  const others = new Promise<void>((resolve) => {
    setImmediate(() => {
      isIn = true;
      resolve();
    });
  });
  await takeBreath();
  const wasIn = isIn;
  await others;
  return wasIn;
}

test("readers let others in, but not more often than every eight milliseconds", async () => {
  vi.useFakeTimers({ toFake: ["performance"], now: 1_000_000 });
  vi.advanceTimersByTime(1_000);
  const first = await letsOthersIn();
  const again = await letsOthersIn();
  vi.advanceTimersByTime(7);
  const early = await letsOthersIn();
  vi.advanceTimersByTime(1);
  const later = await letsOthersIn();

  expect([first, again, early, later]).toEqual([true, false, false, true]);
});
