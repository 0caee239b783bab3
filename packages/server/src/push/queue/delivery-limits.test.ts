import { expect, test } from "vitest";
import { canStart, originLimits, toPushLimits } from "./delivery-limits.js";

const limits = { answering: 4, failing: 2 };

test.each([
  ["answering", 0, 0, true],
  ["answering", 3, 0, true],
  ["answering", 4, 0, false],
  ["answering", 3, 2, true],
  ["answering", 3, 3, false],
  ["answering", 1, 4, true],
  ["answering", 0, 6, false],
  ["failing", 0, 1, true],
  ["failing", 4, 1, true],
  ["failing", 0, 2, false],
  // The sum of both limits is not exceeded if receivers answer now that failed when their calls began.
  ["failing", 6, 0, false],
  ["failing", 5, 0, true],
  ["failing", 5, 1, false],
] as const)(
  "a receiver that is %s, beside %i answering and %i failing calls, can be called: %s",
  (standing, answering, failing, expected) => {
    expect(canStart(standing, { answering, failing }, limits)).toBe(expected);
  },
);

test("failing receivers have half of the limits by default", () => {
  expect(toPushLimits()).toEqual({
    maxCalls: 256,
    maxFailingCalls: 128,
    maxCallsPerOrigin: 16,
    maxQueued: 10_000,
    slowMs: 500,
  });
  expect(toPushLimits({ maxCalls: 1 }).maxFailingCalls).toBe(1);
  expect(toPushLimits({ maxCalls: 10, maxFailingCalls: 3 }).maxFailingCalls).toBe(3);
  expect(originLimits(toPushLimits())).toEqual({ answering: 16, failing: 8 });
});
