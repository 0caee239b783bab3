import { expect, test } from "vitest";
import { defaultRetrySchedule, type FailedTry, retryDelayMs } from "./retry-schedule.js";

test.each<[failed: FailedTry, delayMs: number | undefined]>([
  [{ attempt: 1, random: 0 }, 0],
  [{ attempt: 1, random: 0.5 }, 250],
  [{ attempt: 2, random: 0.5 }, 500],
  [{ attempt: 4, random: 0.5 }, 2000],
  [{ attempt: 5, random: 0.5 }, undefined],
  [{ attempt: 1, random: 0, retryAfterMs: 7000 }, 7000],
  [{ attempt: 1, random: 0.5, retryAfterMs: 7000 }, 7250],
  [{ attempt: 1, random: 0, retryAfterMs: 120_000 }, 120_000],
  [{ attempt: 1, random: 0, retryAfterMs: 120_001 }, undefined],
  [{ attempt: 5, random: 0, retryAfterMs: 1 }, undefined],
])("after %o the next try waits %s ms", (failed, delayMs) => {
  expect(retryDelayMs(failed, defaultRetrySchedule)).toBe(delayMs);
});

test("the wait never grows beyond the cap", () => {
  const schedule = { ...defaultRetrySchedule, tries: 40 };

  expect(retryDelayMs({ attempt: 30, random: 1 }, schedule)).toBe(30_000);
});
