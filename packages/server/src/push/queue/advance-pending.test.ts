import { expect, test } from "vitest";
import { advancePending, type PendingState, type PendingStep } from "./advance-pending.js";

const states = {
  idle: { type: "idle" },
  queued: { type: "queued" },
  delivering: { type: "delivering", hasNews: false },
  "delivering with news": { type: "delivering", hasNews: true },
  waiting: { type: "waiting", until: 5, isStored: true },
  "waiting in memory": { type: "waiting", until: 5, isStored: false },
  "given up": { type: "given-up" },
} satisfies Record<string, PendingState>;
type StateName = keyof typeof states;

const steps = {
  notify: { type: "notify" },
  wake: { type: "wake" },
  start: { type: "start" },
  "time-up": { type: "time-up" },
  stop: { type: "stop" },
  continue: { type: "continue" },
  nothing: { type: "nothing" },
  fail: { type: "fail", until: 5 },
  fault: { type: "fault", until: 5 },
  "give-up": { type: "give-up" },
} satisfies Record<PendingStep["type"], PendingStep>;
type StepName = keyof typeof steps;

/** The next state for each state and step. A step that is not listed for a state changes nothing. */
const moves: Record<StateName, Partial<Record<StepName, StateName>>> = {
  idle: { notify: "queued", wake: "queued" },
  queued: { start: "delivering", stop: "idle" },
  delivering: {
    notify: "delivering with news",
    wake: "delivering with news",
    continue: "queued",
    nothing: "idle",
    fail: "waiting",
    fault: "waiting in memory",
    "give-up": "given up",
  },
  "delivering with news": {
    stop: "delivering",
    continue: "queued",
    nothing: "queued",
    fail: "waiting",
    fault: "waiting in memory",
    "give-up": "given up",
  },
  waiting: { wake: "queued", "time-up": "idle", stop: "idle" },
  "waiting in memory": { wake: "queued", "time-up": "queued", stop: "idle" },
  "given up": { wake: "queued" },
};

const table = (Object.keys(states) as StateName[]).flatMap((from) =>
  (Object.keys(steps) as StepName[]).map(
    (step) => [from, step, moves[from][step] ?? from] as const,
  ),
);

test.each(table)("from the state %j, the step %j leads to %j", (from, step, to) => {
  expect(advancePending(states[from], steps[step])).toEqual(states[to]);
});
