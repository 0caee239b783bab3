import { describe, expect, test } from "vitest";
import type { PushProgress } from "../store/push-record.js";
import { advancePush, DEFAULT_RETRY_POLICY, type PushFailure } from "./advance-push.js";

const now = Date.parse("2026-01-01T00:00:00.000Z");
const fresh: PushProgress = {
  after: 4,
  isTaskDue: true,
  attempts: 0,
  failures: 0,
  hasGivenUp: false,
};
const failure = (overrides: Partial<PushFailure> = {}): PushFailure => ({
  type: "fail",
  error: "the receiver answered 500",
  isFinal: false,
  now,
  random: 1,
  ...overrides,
});

/** Returns the wait after a number of failures. */
function waitAfter(failures: number, overrides: Partial<PushFailure> = {}): number {
  const { nextAttemptAt } = advancePush({ ...fresh, failures: failures - 1 }, failure(overrides));
  return Date.parse(nextAttemptAt ?? "") - now;
}

test("the start of a call counts an attempt and removes the time of the next attempt", () => {
  const waiting = { ...fresh, attempts: 2, failures: 2, nextAttemptAt: "2026", lastError: "x" };

  expect(advancePush(waiting, { type: "begin" })).toEqual({
    ...fresh,
    attempts: 3,
    failures: 2,
    lastError: "x",
  });
});

test("a delivery moves the position and clears the failures", () => {
  const tried = { ...fresh, attempts: 3, failures: 2, lastError: "x" };

  expect(advancePush(tried, { type: "deliver", position: 9 })).toEqual({
    after: 9,
    isTaskDue: false,
    attempts: 0,
    failures: 0,
    hasGivenUp: false,
  });
});

test("a skipped event moves the position forward, never back", () => {
  expect(advancePush(fresh, { type: "skip", position: 7 })).toEqual({ ...fresh, after: 7 });
  expect(advancePush(fresh, { type: "skip", position: 2 })).toEqual(fresh);
});

test("a failed call stores its reason and the time of the next attempt", () => {
  const begun = advancePush(fresh, { type: "begin" });

  expect(advancePush(begun, failure())).toEqual({
    ...fresh,
    attempts: 1,
    failures: 1,
    lastError: "the receiver answered 500",
    nextAttemptAt: "2026-01-01T00:00:01.000Z",
  });
});

test.each([
  [1, 1_000],
  [2, 2_000],
  [5, 16_000],
  [10, 512_000],
  [11, 900_000],
  [99, 900_000],
])("the wait after %i failures is at most %i ms, and at least half of that", (failures, ms) => {
  expect(waitAfter(failures)).toBe(ms);
  expect(waitAfter(failures, { random: 0 })).toBe(ms / 2);
});

test.each([
  [5_000, 5_000],
  [10, 1_000],
  [2 * 60 * 60_000, 60 * 60_000],
])("the wait after a first failure with a Retry-After of %i ms is at most %i ms", (asked, ms) => {
  expect(waitAfter(1, { retryAfterMs: asked })).toBe(ms);
});

describe("giving up a config", () => {
  const last = DEFAULT_RETRY_POLICY.maxFailures;

  test("a config is given up after the allowed number of consecutive failures", () => {
    expect(advancePush({ ...fresh, failures: last - 2 }, failure()).hasGivenUp).toBe(false);
    expect(advancePush({ ...fresh, failures: last - 1 }, failure())).toEqual({
      ...fresh,
      failures: last,
      lastError: "the receiver answered 500",
      hasGivenUp: true,
    });
  });

  test("a config is given up at once if its failure is final", () => {
    expect(advancePush(fresh, failure({ isFinal: true }))).toMatchObject({
      failures: 1,
      hasGivenUp: true,
    });
  });
});
