import { expect, test } from "vitest";
import { DEFAULT_RETRY_SCHEDULE, type FailedAttempt, retryDelayMs } from "./retry-schedule.js";

test.each<[failed: FailedAttempt, delayMs: number | undefined]>([
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
])("after %o the next attempt waits %s ms", (failed, delayMs) => {
  expect(retryDelayMs(failed, DEFAULT_RETRY_SCHEDULE)).toBe(delayMs);
});

test("the wait never grows beyond the cap", () => {
  const schedule = { ...DEFAULT_RETRY_SCHEDULE, maxAttempts: 40 };

  expect(retryDelayMs({ attempt: 30, random: 1 }, schedule)).toBe(30_000);
});
