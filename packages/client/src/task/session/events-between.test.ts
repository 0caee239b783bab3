import {
  emptyTaskView,
  openQuestions,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";
import { buildEvent, buildQuestion, buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { eventsBetween as computeEvents, reachesBack } from "./events-between.js";

const eventsBetween = (known: TaskView, next: TaskView) =>
  computeEvents(known, next, openQuestions);

const prompt = buildEvent({
  kind: "USER_PROMPT",
  messageId: "m",
  parts: [{ type: "text", text: "hi" }],
  origin: { principal: "local", name: "" },
});
const text = (words: string) => buildEvent({ kind: "TEXT_CONTENT", text: words });
const call = (status: "PENDING" | "EXECUTING" | "SUCCEEDED") =>
  buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall({ status }) });
const otherCall = buildEvent({
  kind: "TOOL_CALL_UPDATE",
  toolCall: buildToolCall({ toolCallId: "call-2", status: "EXECUTING" }),
});
const thought = buildEvent({ kind: "THOUGHT", thought: { subject: "s", description: "" } });
const done = buildEvent({ kind: "STATE_CHANGE" }, { state: "completed" });

function viewOf(...events: readonly SessionEvent[]): TaskView {
  return events.reduce(reduceTaskView, emptyTaskView("task-1", "context-1"));
}

/** Returns a word or two for each missed event. */
function missed(known: TaskView, next: TaskView): string[] {
  return eventsBetween(known, next).map((event) => {
    if (event.kind === "TEXT_CONTENT") return event.text;
    if (event.kind === "TOOL_CALL_UPDATE") return event.toolCall.status;
    return event.kind === "STATE_CHANGE" ? event.state : event.kind;
  });
}

test("two equal views have no events between them", () => {
  const items = [prompt, call("SUCCEEDED"), otherCall, text("one")];

  expect(missed(viewOf(...items), viewOf(...items))).toEqual([]);
});

test.each<[string, TaskView, TaskView, string[]]>([
  [
    "all items of a first snapshot",
    viewOf(),
    viewOf(prompt, text("one"), done),
    ["USER_PROMPT", "one", "completed"],
  ],
  [
    "a new prompt after a known prompt",
    viewOf(prompt),
    viewOf(prompt, { ...prompt, messageId: "n" } as SessionEvent),
    ["USER_PROMPT"],
  ],
  [
    "a new tool call after a known tool call",
    viewOf(call("SUCCEEDED")),
    viewOf(call("SUCCEEDED"), text("one"), otherCall),
    ["one", "EXECUTING"],
  ],
  [
    "the new state of the first item, and the text added to the last item",
    viewOf(call("EXECUTING"), text("on")),
    viewOf(call("SUCCEEDED"), text("one")),
    ["SUCCEEDED", "e"],
  ],
  ["items after a known thought", viewOf(thought), viewOf(thought, text("one")), ["one"]],
  ["the state of another task", viewOf(), { ...viewOf(), taskId: "task-2" }, ["submitted"]],
  [
    "the text that was added to an item",
    viewOf(prompt, text("on")),
    viewOf(prompt, text("one"), done),
    ["e", "completed"],
  ],
  [
    "the new state of a tool call, and the text after it",
    viewOf(prompt, call("EXECUTING")),
    viewOf(prompt, call("SUCCEEDED"), text("two"), done),
    ["SUCCEEDED", "two", "completed"],
  ],
  [
    "a tool call that was missed in the middle",
    viewOf(text("one")),
    viewOf(text("one"), call("SUCCEEDED"), text("two")),
    ["SUCCEEDED", "two"],
  ],
  [
    "the items after the last known item, if the agent does not repeat prompts",
    viewOf(text("one"), prompt),
    viewOf(text("one"), call("SUCCEEDED")),
    ["SUCCEEDED"],
  ],
  [
    "only calls and the state, if no known item is left",
    viewOf(text("long ago")),
    viewOf(text("two"), call("SUCCEEDED"), done),
    ["SUCCEEDED", "completed"],
  ],
])("eventsBetween returns %s", (_, known, next, expected) => {
  expect(missed(known, next)).toEqual(expected);
});

test("text that an agent stores in pieces equals joined text", () => {
  const pieces = viewOf(prompt, text("one "));
  const snapshot = {
    ...pieces,
    items: ["one ", "two ", "three"].map((words) => ({
      at: "",
      event: { kind: "TEXT_CONTENT" as const, text: words },
    })),
  };

  expect(missed(pieces, snapshot)).toEqual(["two three"]);
});

test("a missed question arrives with the change of state", () => {
  const question = buildQuestion();
  const asked = viewOf(
    text("one"),
    buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: question }),
    buildEvent({ kind: "STATE_CHANGE", waiting: [question] }, { state: "input-required" }),
  );

  expect(eventsBetween(viewOf(text("one")), asked).at(-1)).toMatchObject({
    kind: "STATE_CHANGE",
    state: "input-required",
    waiting: [question],
  });
});

test("folding the missed events into the known view gives the snapshot", () => {
  const known = viewOf(prompt, text("on"));
  const next = viewOf(prompt, text("one"), call("SUCCEEDED"), text("two"), done);

  const folded = eventsBetween(known, next).reduce(reduceTaskView, known);

  expect(folded.items).toEqual(next.items);
  expect(folded.state).toBe("completed");
});

test("reachesBack() returns true for a snapshot that contains a known item", () => {
  expect(reachesBack(viewOf(), viewOf(text("x")))).toBe(true);
  expect(reachesBack(viewOf(text("x")), viewOf(text("xy")))).toBe(true);
  expect(reachesBack(viewOf(text("x")), viewOf(text("y")))).toBe(false);
});

test("cursor, model, usage and error of a snapshot arrive with the change of state", () => {
  const known = viewOf(prompt);
  const usage = { inputTokens: 1, outputTokens: 2 } as NonNullable<TaskView["usage"]>;
  const seen = { cursor: "9", model: "m", usage, error: "it broke", at: "then" };

  const events = eventsBetween(known, { ...known, state: "failed", ...seen });

  expect(events).toEqual([
    { kind: "STATE_CHANGE", taskId: "task-1", contextId: "context-1", state: "failed", ...seen },
  ]);
});

test("a change of state lists an open question once, and no question if none is open", () => {
  const toolCall = buildQuestion();
  const asking = viewOf(buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall }));
  const waiting = { ...asking, state: "input-required" as const };

  const [first, ...rest] = eventsBetween(viewOf(), viewOf(done));
  expect(rest).toEqual([]);
  expect(first).not.toHaveProperty("waiting");
  expect(eventsBetween(asking, waiting)).toMatchObject([{ waiting: [toolCall] }]);
  expect(eventsBetween(waiting, waiting)).toEqual([]);
});

test.each([
  ["its first question", [], ["call-1"]],
  ["another question", ["call-1"], ["call-2"]],
])(
  "if a waiting task asks %s, eventsBetween returns a change of state with the question",
  (_, known, next) => {
    const asking = (ids: readonly string[]) => ({
      ...viewOf(),
      state: "input-required" as const,
      openCalls: ids.map((toolCallId) => ({ ...buildQuestion(), toolCallId })),
    });

    const events = eventsBetween(asking(known), asking(next));

    expect(events).toMatchObject([
      { kind: "STATE_CHANGE", waiting: next.map((toolCallId) => ({ toolCallId })) },
    ]);
  },
);

test("items without a time get the time of the snapshot", () => {
  const next = {
    ...viewOf(),
    at: "now",
    items: [{ at: "", event: { kind: "TEXT_CONTENT" as const, text: "x" } }],
  };

  expect(eventsBetween(viewOf(), next)).toMatchObject([{ kind: "TEXT_CONTENT", at: "now" }]);
});

test.each<[TaskView["state"], TaskView["state"], readonly TaskView["state"][]]>([
  ["working", "completed", ["working", "working", "completed"]],
  ["input-required", "failed", ["working", "working", "failed"]],
  ["input-required", "working", ["working", "working", "working"]],
  ["input-required", "input-required", ["input-required", "input-required"]],
])(
  "the events between a task that is %s and then %s have the states %j",
  (before, after, states) => {
    const known: TaskView = { ...viewOf(prompt), state: before };
    const next: TaskView = { ...viewOf(prompt, thought, text("one")), state: after };

    expect(eventsBetween(known, next).map(({ state }) => state)).toEqual(states);
  },
);

test("missed events have the header of the snapshot, their own time and the state before the end", () => {
  const usage = { inputTokens: 1, outputTokens: 2, thoughtTokens: 3, cachedTokens: 4 };
  const about = {
    state: "failed",
    model: "m",
    usage,
    error: "no",
    cursor: "9",
    at: "now",
  } as const;
  const next: TaskView = { ...viewOf({ ...text("one"), at: "then" }), ...about };
  const bare: TaskView = { ...viewOf(), state: "working", at: "now" };
  const header = { taskId: "task-1", contextId: "context-1", state: "failed" };

  expect(eventsBetween(viewOf(), next)).toStrictEqual([
    { ...header, kind: "TEXT_CONTENT", text: "one", at: "then", state: "working" },
    { ...header, ...about, kind: "STATE_CHANGE" },
  ]);
  expect(eventsBetween(viewOf(), bare)).toStrictEqual([
    { ...header, kind: "STATE_CHANGE", state: "working", at: "now" },
  ]);
});

test("a new artifact, a grown artifact and the text of a state become missed events", () => {
  const give = (artifactId: string, text: string, append = false) =>
    buildEvent({
      kind: "ARTIFACT",
      artifact: { artifactId, parts: [{ type: "text", text }] },
      append,
    });
  const words = [{ type: "text" as const, text: "no" }];
  const rejected = buildEvent({ kind: "STATE_CHANGE", statusParts: words }, { state: "rejected" });
  const known = viewOf(prompt, give("a", "one"), give("b", "two"));

  const events = eventsBetween(
    known,
    viewOf(
      prompt,
      give("a", "one"),
      give("b", "two"),
      give("b", " more", true),
      give("c", "three"),
      rejected,
    ),
  );

  expect(events).toMatchObject([
    { kind: "ARTIFACT", artifact: { artifactId: "b", parts: [{ text: "two more" }] } },
    { kind: "ARTIFACT", artifact: { artifactId: "c" } },
    { kind: "STATE_CHANGE", state: "rejected", statusParts: words },
  ]);
});
