import { expect, test } from "vitest";
import { advancePull, INITIAL_PULL_STATE, type PullState, type PullStep } from "./pull-state.js";

const state: PullState = { canSubscribe: true, failures: 2, quietPolls: 3 };

test.each<[PullStep, Partial<PullState>]>([
  ["frame", { failures: 0 }],
  ["change", { quietPolls: 0 }],
  ["sent", { failures: 0, quietPolls: 0 }],
  ["refused", { canSubscribe: false }],
  ["failed", { failures: 3 }],
  ["poll", { quietPolls: 4 }],
])("the step %s changes only %o", (step, changed) => {
  expect(advancePull(state, step)).toEqual({ ...state, ...changed });
});

test("a new puller may subscribe, and its counters are zero", () => {
  expect(INITIAL_PULL_STATE).toEqual({ canSubscribe: true, failures: 0, quietPolls: 0 });
});
