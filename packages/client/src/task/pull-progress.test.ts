import { expect, test } from "vitest";
import {
  advancePull,
  chooseAfterStream,
  FIRST_PROGRESS,
  type PullProgress,
  type PullStep,
  pollDelay,
  type StreamEnd,
} from "./pull-progress.js";

const worn: PullProgress = { canSubscribe: true, attempt: 3, quietRounds: 2 };

test.each<[PullStep, PullProgress]>([
  ["sent", { canSubscribe: true, attempt: 0, quietRounds: 0 }],
  ["received", { canSubscribe: true, attempt: 0, quietRounds: 2 }],
  ["changed", { canSubscribe: true, attempt: 3, quietRounds: 0 }],
  ["polled", { canSubscribe: true, attempt: 3, quietRounds: 3 }],
  ["failed", { canSubscribe: true, attempt: 4, quietRounds: 2 }],
  ["refused", { canSubscribe: false, attempt: 3, quietRounds: 2 }],
])("the progress advances by the step %s", (step, expected) => {
  expect(advancePull(worn, step)).toEqual(expected);
});

test("a refused subscription stays refused after a message", () => {
  expect(advancePull(advancePull(worn, "refused"), "sent").canSubscribe).toBe(false);
});

const working: StreamEnd = {
  isSubscription: true,
  isUnsupported: false,
  hasFailed: false,
  isReplaced: false,
  isResting: false,
};

test.each<[string, Partial<StreamEnd>, ReturnType<typeof chooseAfterStream>]>([
  ["ends while the task works", {}, "retry"],
  ["of a message ends while the task works", { isSubscription: false }, "retry"],
  ["fails while the task rests", { hasFailed: true, isResting: true }, "retry"],
  ["is a subscription and ends while the task rests", { isResting: true }, "poll"],
  ["of a message ends with the turn", { isSubscription: false, isResting: true }, "nothing"],
  ["is a refused subscription", { isUnsupported: true, hasFailed: true }, "stop-subscribing"],
  [
    "of a message fails as an unknown method",
    { isSubscription: false, isUnsupported: true, hasFailed: true },
    "retry",
  ],
  ["fails, and another one waits", { hasFailed: true, isReplaced: true }, "nothing"],
  [
    "is a refused subscription of a task that has ended",
    { isUnsupported: true, hasFailed: true, isReplaced: true },
    "nothing",
  ],
])("the next act is chosen when a stream %s", (_, end, expected) => {
  expect(chooseAfterStream({ ...working, ...end })).toBe(expected);
});

test("polls become rarer up to five seconds", () => {
  const rounds = [0, 1, 2, 3, 4, 100];

  const delays = rounds.map((quietRounds) => pollDelay({ ...FIRST_PROGRESS, quietRounds }));

  expect(delays).toEqual([500, 1_000, 2_000, 5_000, 5_000, 5_000]);
});
