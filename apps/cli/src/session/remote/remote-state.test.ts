import type { ConnectionState } from "@dt/client";
import { emptyTaskView, type FaceStatus, type SessionEvent, type TaskView } from "@dt/schema";
import { buildEvent, buildQuestion } from "@dt/schema/testing";
import { expect, test } from "vitest";
import {
  advanceRemote,
  type RemoteState,
  type RemoteStep,
  startRemote,
  toRemoteStatus,
} from "./remote-state.js";

const VIEW: TaskView = { ...emptyTaskView("task-1", "context-1"), state: "working" };
const IDLE = buildEvent({ kind: "STATE_CHANGE" }, { state: "input-required" });
const END = buildEvent({ kind: "STATE_CHANGE" }, { state: "completed" });
const QUEUED = buildEvent({
  kind: "QUEUE",
  prompts: [{ messageId: "m2", text: "more", origin: { principal: "local", name: "me" } }],
});
const ASKING = buildEvent(
  { kind: "STATE_CHANGE", waiting: [buildQuestion()] },
  { state: "input-required" },
);
const PROMPT = buildEvent({
  kind: "USER_PROMPT",
  messageId: "m1",
  parts: [{ type: "text", text: "hello" }],
  origin: { principal: "local", name: "me" },
});
const LOST: ConnectionState = {
  status: "reconnecting",
  attempt: 2,
  retryInMs: 5,
  reason: new Error("gone"),
};

const after = (...steps: readonly RemoteStep[]): RemoteState =>
  steps.reduce(advanceRemote, startRemote(VIEW));
const event = (each: SessionEvent): RemoteStep => ({ type: "event", event: each });
const statusOf = (state: RemoteState): FaceStatus => toRemoteStatus(state, { endpoint: "url" });

test.each<[string, readonly RemoteStep[], Partial<FaceStatus>]>([
  ["no step", [], {}],
  [
    "a lost connection",
    [{ type: "connection", connection: LOST }],
    {
      trouble: "connection lost, retrying (2)",
    },
  ],
  [
    "a restored connection",
    [
      { type: "connection", connection: LOST },
      { type: "connection", connection: { status: "connected" } },
    ],
    {},
  ],
  [
    "a closed connection",
    [{ type: "connection", connection: { status: "closed" } }],
    {
      trouble: "disconnected",
    },
  ],
  ["a fault", [{ type: "fault", message: "no such task" }], { trouble: "no such task" }],
  [
    "a fault and then a prompt",
    [
      { type: "fault", message: "no such task" },
      { type: "send", text: "hello" },
    ],
    {},
  ],
  [
    "prompts that are sent without a connection",
    [
      { type: "connection", connection: LOST },
      { type: "send", text: "one" },
      { type: "send", text: "two" },
      { type: "send", text: "one" },
      { type: "sent", text: "one" },
    ],
    { trouble: "connection lost, retrying (2)", held: ["two", "one"] },
  ],
  [
    "the end of a live session",
    [event(IDLE), event(END)],
    {
      trouble: "the session has ended",
      hasEnded: true,
    },
  ],
  [
    "the end of a task that paused between two prompts",
    [event(QUEUED), event(IDLE), event(END)],
    {},
  ],
  ["the end of a task that is not shared", [event(ASKING), event(END)], {}],
])("the status shows the state after %s", (_, steps, status) => {
  expect(statusOf(after(...steps))).toEqual({ model: "", endpoint: "url", ...status });
});

test("a prompt that arrives twice is shown once and changes the state once", () => {
  const once = after(event(PROMPT));

  expect(once.view.items).toHaveLength(1);
  expect(advanceRemote(once, event(PROMPT))).toBe(once);
});

test("a view that the client folded replaces the previous view", () => {
  const folded: TaskView = { ...VIEW, state: "input-required" };

  const state = after({ type: "view", view: folded });

  expect([state.view, state.sharedTaskId]).toEqual([folded, "task-1"]);
});
