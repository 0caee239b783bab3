import { expect, test } from "vitest";
import { systemClock } from "../clock.js";
import { yieldIfDue } from "./yield-if-due.js";

/** Returns true if other work ran before `yieldIfDue` resolved. */
async function letsOthersRun(elapsedMs: number): Promise<boolean> {
  let hasRun = false;
  const other = setImmediate(() => {
    hasRun = true;
  });
  await yieldIfDue(() => elapsedMs);
  clearImmediate(other);
  return hasRun;
}

test("readers let other work run every eight milliseconds", async () => {
  // The times start a second from now, because other tests in this process may have yielded just now.
  const start = systemClock.elapsedMs() + 1_000;
  const outcomes: boolean[] = [];
  for (const ms of [0, 7, 8, 15]) outcomes.push(await letsOthersRun(start + ms));

  expect(outcomes).toEqual([true, false, true, false]);
});
