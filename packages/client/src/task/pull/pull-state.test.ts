import { expect, test } from "vitest";
import {
  advancePull,
  INITIAL_PULL_STATE,
  type PullState,
  type PullTransition,
} from "./pull-state.js";

const state: PullState = { canSubscribe: true, failures: 2, quietPolls: 3 };

test.each<[PullTransition, Partial<PullState>]>([
  ["frame-received", { failures: 0 }],
  ["task-changed", { quietPolls: 0 }],
  ["message-sent", { failures: 0, quietPolls: 0 }],
  ["subscription-refused", { canSubscribe: false }],
  ["retry-started", { failures: 3 }],
  ["poll-started", { quietPolls: 4 }],
])("the transition %s changes only its own fields", (step, changed) => {
  expect(advancePull(state, step)).toEqual({ ...state, ...changed });
});

test("a new puller may subscribe, and its counters are zero", () => {
  expect(INITIAL_PULL_STATE).toEqual({ canSubscribe: true, failures: 0, quietPolls: 0 });
});
