import { expect, test } from "vitest";
import type { BackgroundProcess } from "../gen/dt_session/event.js";
import { buildEvent } from "../testing/build-event.js";
import type { AgentEvent } from "./agent-event.js";
import { reduceTaskView } from "./reduce-task-view.js";
import { MAX_PROCESSES } from "./session-facts.js";
import { emptyTaskView, type TaskView } from "./task-view.js";

const ada = { principal: "ada", name: "Ada" };
const usage = { inputTokens: 10, outputTokens: 2, thoughtTokens: 0, cachedTokens: 0 };
const report = { turn: usage, session: usage, contextTokens: 12, contextLimit: 1000 };
const todo = (description: string) => ({ description, status: "PENDING" as const });
const prompt = (messageId: string): AgentEvent => ({
  kind: "USER_PROMPT",
  messageId,
  parts: [],
  origin: ada,
});
const say = (text: string): AgentEvent => ({ kind: "TEXT_CONTENT", text });

function fold(events: readonly AgentEvent[]): TaskView {
  return events
    .map((event) => buildEvent(event))
    .reduce(reduceTaskView, emptyTaskView("task-1", "context-1"));
}

test("a new value of a fact replaces the old value as a whole and adds no item", () => {
  const view = fold([
    { kind: "TITLE", title: "one" },
    { kind: "TITLE", title: "two" },
    { kind: "TODOS", todos: [todo("a"), todo("b")] },
    { kind: "TODOS", todos: [todo("c")] },
    { kind: "USAGE", report },
    { kind: "MODE", mode: { mode: "yolo", origin: ada } },
  ]);

  expect(view.facts).toEqual({
    title: "two",
    todos: [todo("c")],
    usage: report,
    mode: { mode: "yolo", origin: ada },
    processes: [],
  });
  expect(view.items).toEqual([]);
});

test("a view has no facts before the first event that sets a fact", () => {
  expect(fold([say("one")])).not.toHaveProperty("facts");
});

test("a fact between two pieces of text does not split the text", () => {
  const view = fold([say("one "), { kind: "USAGE", report }, say("two")]);

  expect(view.items.map(({ event }) => event)).toEqual([say("one two")]);
});

test("a warning is an item of the conversation", () => {
  const warning: AgentEvent = { kind: "WARNING", warning: { message: "the disk is full" } };

  expect(fold([warning]).items.map(({ event }) => event)).toEqual([warning]);
});

test("a REWOUND event removes the prompt, everything after the prompt, and the todo list", () => {
  const rewound: AgentEvent = {
    kind: "REWOUND",
    rewound: { messageId: "m2", origin: ada, restoredFiles: false },
  };
  const first = [prompt("m1"), say("one")];
  const rest: AgentEvent[] = [prompt("m2"), say("two"), { kind: "TODOS", todos: [todo("a")] }];

  const view = fold([...first, ...rest, rewound, say("three")]);

  expect(view.items.map(({ event }) => event)).toEqual([...first, say("three")]);
  expect(view.facts?.todos).toEqual([]);
});

test("a REWOUND event removes all items if the view no longer has the prompt", () => {
  const rewound = { messageId: "m0", origin: ada, restoredFiles: false };

  expect(fold([prompt("m1"), { kind: "REWOUND", rewound }]).items).toEqual([]);
});

const running = (processId: string) => ({
  processId,
  command: "npm run dev",
  state: "RUNNING" as const,
  toolCallId: "call-1",
});
const exited = (processId: string) => ({
  ...running(processId),
  state: "EXITED" as const,
  exitCode: 1,
});

const change = (backgroundProcess: BackgroundProcess): AgentEvent => ({
  kind: "BACKGROUND_PROCESS",
  backgroundProcess,
});

test("a background process is shown in its last state", () => {
  const events = [running("1"), running("2"), exited("1")].map(change);

  expect(fold(events).facts?.processes).toEqual([running("2"), exited("1")]);
});

test("a view keeps only the processes that changed last", () => {
  const many = Array.from({ length: MAX_PROCESSES + 1 }, (_, index) => running(`${index}`));

  expect(fold(many.map(change)).facts?.processes).toEqual(many.slice(1));
});
