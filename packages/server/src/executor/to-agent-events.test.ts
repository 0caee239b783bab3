import { Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { AgentEvent } from "@a2a-js/sdk/server";
import { expect, test } from "vitest";
import { decodeExecutionEvent, type TaskProgress, toAgentEvents } from "./to-agent-events.js";

const ids = { taskId: "t", contextId: "c" };
const said = (text: string) => ({ messageId: "m", role: "ROLE_AGENT", parts: [{ text }] });
const text = (value: string) => [{ type: "text", text: value }];
const status = (state: string, message?: object) =>
  AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ status: { state, message } }));
const working: TaskProgress = { state: "working", artifacts: [], isTextLast: false };

const convert = (event: Parameters<typeof decodeExecutionEvent>[0], progress = working) =>
  toAgentEvents(decodeExecutionEvent(event, ids), progress);

test.each([
  ["the state submitted", status("TASK_STATE_SUBMITTED"), []],
  ["the state working during a turn", status("TASK_STATE_WORKING"), []],
  [
    "the state working with a message",
    status("TASK_STATE_WORKING", said("hi")),
    [{ kind: "TEXT_CONTENT", text: "hi", state: "working" }],
  ],
  [
    "a question",
    status("TASK_STATE_INPUT_REQUIRED", said("which?")),
    [{ kind: "STATE_CHANGE", state: "input-required", statusParts: text("which?") }],
  ],
  [
    "the state rejected",
    status("TASK_STATE_REJECTED", said("no")),
    [{ kind: "STATE_CHANGE", state: "rejected", statusParts: text("no") }],
  ],
  [
    "the state completed",
    status("TASK_STATE_COMPLETED"),
    [{ kind: "STATE_CHANGE", state: "completed" }],
  ],
  [
    "a message without ids",
    AgentEvent.message(Message.fromJSON({ parts: [{ text: "hi" }] })),
    [
      { kind: "TEXT_CONTENT", text: "hi", state: "working" },
      { kind: "STATE_CHANGE", state: "completed" },
    ],
  ],
  [
    "a chunk of an artifact",
    AgentEvent.artifactUpdate(
      TaskArtifactUpdateEvent.fromJSON({
        artifact: {
          artifactId: "a",
          name: "a.md",
          parts: [{ raw: "eA==", mediaType: "image/png" }],
        },
        append: true,
      }),
    ),
    [
      {
        kind: "ARTIFACT",
        artifact: {
          artifactId: "a",
          name: "a.md",
          parts: [{ type: "file", bytes: "eA==", mediaType: "image/png" }],
        },
        append: true,
        state: "working",
      },
    ],
  ],
])("an executor's event is converted to ours: %s", (_, event, expected) => {
  expect(convert(event)).toEqual(expected);
});

test("a task is converted to its new artifacts and its state", () => {
  const known = { artifactId: "a", parts: [{ type: "text" as const, text: "old" }] };
  const task = Task.fromJSON({
    id: "another",
    status: { state: "TASK_STATE_COMPLETED" },
    artifacts: [
      { artifactId: "a", parts: [{ text: "old" }] },
      { artifactId: "b", parts: [{ data: { n: 1 } }] },
    ],
    history: [said("earlier")],
  });

  expect(convert(AgentEvent.task(task), { ...working, artifacts: [known] })).toEqual([
    {
      kind: "ARTIFACT",
      artifact: { artifactId: "b", parts: [{ type: "data", data: { n: 1 } }] },
      lastChunk: true,
      state: "working",
    },
    { kind: "STATE_CHANGE", state: "completed" },
  ]);
});

test("an empty line separates two messages", () => {
  const events = convert(status("TASK_STATE_WORKING", said("two")), {
    ...working,
    isTextLast: true,
  });

  expect(events).toEqual([{ kind: "TEXT_CONTENT", text: "\n\ntwo", state: "working" }]);
});

test("a state change that is not allowed directly goes through the state working [SRV-07]", () => {
  const waiting: TaskProgress = { ...working, state: "auth-required" };
  const states = (state: string) => convert(status(state), waiting).map((step) => step.state);

  expect(states("TASK_STATE_WORKING")).toEqual(["working"]);
  expect(states("TASK_STATE_CANCELED")).toEqual(["working", "canceled"]);
  expect(states("TASK_STATE_INPUT_REQUIRED")).toEqual(["working", "input-required"]);
});

test("an event that cannot be read is refused with the path of the fault", () => {
  const event = AgentEvent.artifactUpdate(
    TaskArtifactUpdateEvent.fromJSON({ artifact: { parts: [{ text: "x" }] } }),
  );

  expect(() => convert(event)).toThrow("artifactId");
});
