import { expect, test } from "vitest";
import { canStart, originLimits, toPushLimits } from "./delivery-limits.js";

const limits = { answering: 4, failing: 2 };

test.each([
  ["answering", 0, 0],
  ["answering", 3, 0],
  ["answering", 3, 2],
  ["answering", 1, 4],
  ["failing", 0, 1],
  ["failing", 4, 1],
  ["failing", 5, 0],
] as const)(
  "one more %s receiver may be called while %i answering and %i failing receivers are called",
  (standing, answering, failing) => {
    expect(canStart(standing, { answering, failing }, limits)).toBe(true);
  },
);

// More than four answering receivers can be called at once: a receiver that failed when its call started counts as
// answering as soon as it answers again.
test.each([
  ["answering", 4, 0],
  ["answering", 3, 3],
  ["answering", 0, 6],
  ["failing", 0, 2],
  ["failing", 6, 0],
  ["failing", 5, 1],
] as const)(
  "one more %s receiver must wait while %i answering and %i failing receivers are called",
  (standing, answering, failing) => {
    expect(canStart(standing, { answering, failing }, limits)).toBe(false);
  },
);

test("by default, the limits of failing receivers are half of those of answering receivers", () => {
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
