import { expect, test } from "vitest";
import { DEFAULT_RETRY_SCHEDULE, type FailedAttempt, retryDelayMs } from "./retry-schedule.js";

test.each([
  [1, 0, 0],
  [1, 0.5, 250],
  [2, 0.5, 500],
  [4, 0.5, 2000],
])("after attempt %i with the random number %d, the wait is %i ms", (attempt, random, delayMs) => {
  expect(retryDelayMs({ attempt, random }, DEFAULT_RETRY_SCHEDULE)).toBe(delayMs);
});

test.each([
  [7000, 0, 7000],
  [7000, 0.5, 7250],
  [120_000, 0, 120_000],
])(
  "if the vendor asks for %i ms, with the random number %d, the wait is %i ms",
  (retryAfterMs, random, delayMs) => {
    const failed = { attempt: 1, random, retryAfterMs };

    expect(retryDelayMs(failed, DEFAULT_RETRY_SCHEDULE)).toBe(delayMs);
  },
);

test.each<[reason: string, failed: FailedAttempt]>([
  ["after the last attempt", { attempt: 5, random: 0.5 }],
  [
    "after the last attempt, even if the vendor asks for a retry",
    { attempt: 5, random: 0, retryAfterMs: 1 },
  ],
  ["if the vendor asks for too long a wait", { attempt: 1, random: 0, retryAfterMs: 120_001 }],
])("there is no retry %s", (_, failed) => {
  expect(retryDelayMs(failed, DEFAULT_RETRY_SCHEDULE)).toBeUndefined();
});

test("the wait never grows beyond the cap", () => {
  const schedule = { ...DEFAULT_RETRY_SCHEDULE, maxAttempts: 40 };

  expect(retryDelayMs({ attempt: 30, random: 1 }, schedule)).toBe(30_000);
});
