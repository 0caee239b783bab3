import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitrarySession } from "../testing/arbitrary/arbitrary-session.js";
import { buildEvent } from "../testing/build-event.js";
import { buildQuestion, buildToolCall } from "../testing/build-tool-call.js";
import { isTerminalStatus } from "../tool-call/tool-call-status.js";
import { type AgentEvent, isRfcKind, type SessionEvent } from "./agent-event.js";
import { textOf } from "./part.js";
import { MAX_VIEW_ITEMS, reduceTaskView } from "./reduce-task-view.js";
import { isTerminalState } from "./task-state.js";
import { emptyTaskView, openQuestions, type TaskView } from "./task-view.js";

const at = "2026-01-02T03:04:05.678Z";
const say = (text: string) => buildEvent({ kind: "TEXT_CONTENT", text });
const enter = (state: SessionEvent["state"]) => buildEvent({ kind: "STATE_CHANGE" }, { state });
const log = buildEvent({ kind: "CONSOLE_LOG", log: { type: "info", content: "x" } });

test("text that streams in pieces is one item with the time of its first piece", () => {
  const later = { ...say("lo"), at: "2026-01-02T03:04:06.000Z" };

  expect(fold([enter("working"), say("Hel"), later]).items).toEqual([
    { at, event: { kind: "TEXT_CONTENT", text: "Hello" } },
  ]);
});

test("text after an item of another kind is a new item", () => {
  expect(textsOf(fold([enter("working"), say("a"), log, say("b")]))).toEqual(["a", "b"]);
});

test("an item of text keeps files and data in the order in which they came", () => {
  const file = { type: "file", uri: "http://x/a.png" } as const;
  const data = { type: "data", data: { a: 1 } } as const;
  const withFile = buildEvent({ kind: "TEXT_CONTENT", text: "a", attachments: [file] });
  const withData = buildEvent({ kind: "TEXT_CONTENT", text: "c", attachments: [data] });
  const itemsOf = (...events: SessionEvent[]) => fold(events).items.map(({ event }) => event);

  expect(itemsOf(withFile)).toStrictEqual([
    { kind: "TEXT_CONTENT", text: "a", attachments: [file] },
  ]);
  expect(itemsOf(withFile, say("b"), withData)).toStrictEqual([
    { kind: "TEXT_CONTENT", text: "abc", attachments: [file, data] },
  ]);
  expect(itemsOf(say("a"), withData)).toStrictEqual([
    { kind: "TEXT_CONTENT", text: "ac", attachments: [data] },
  ]);
  expect(itemsOf(say("a"), say("b"))).toStrictEqual([{ kind: "TEXT_CONTENT", text: "ab" }]);
});

test("text stays one item if only events that are not items come between its pieces", () => {
  const queue = buildEvent({ kind: "QUEUE", prompts: [] });

  expect(textsOf(fold([enter("working"), say("a"), queue, say("b")]))).toEqual(["ab"]);
});

test.each(["completed", "failed", "canceled", "input-required"] as const)(
  "text after a change to %s is a new item, even without a prompt",
  (state) => {
    const events = [enter("working"), say("a"), enter(state), enter("working"), say("b")];

    expect(textsOf(fold(events))).toEqual(["a", "b"]);
  },
);

test("text of one turn is one item, even if a question came between its pieces", () => {
  const question = buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildQuestion() });
  const answered = buildEvent({
    kind: "TOOL_CALL_UPDATE",
    toolCall: buildToolCall({ status: "EXECUTING" }),
  });
  const events = [question, say("a"), enter("input-required"), answered, enter("working")];

  expect(textsOf(fold([...events, say("b")]))).toEqual(["ab"]);
});

describe("items of tool calls", () => {
  const answer = {
    toolCallId: "call-1",
    selectedOptionId: "proceed_once",
    origin: { principal: "local", name: "IDE" },
  };
  const asked = buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildQuestion() });
  const executing = buildToolCall({ status: "EXECUTING" });
  const started = buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: executing, answer });
  const done = buildToolCall({ status: "SUCCEEDED" });
  const ended = buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: done });

  test("a tool call is one item that each update replaces, and the item keeps the answer [RFC-10]", () => {
    const view = fold([asked, log, started, ended]);

    expect(view.items.map(({ event }) => event)).toEqual([
      { kind: "TOOL_CALL_UPDATE", toolCall: done, answer },
      { kind: "CONSOLE_LOG", log: { type: "info", content: "x" } },
    ]);
  });

  test("the item of a call keeps the time of the first update and has the newest answer", () => {
    const second = { ...answer, selectedOptionId: "cancel" };
    const changed = { ...buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: done, answer: second }) };
    const view = fold([asked, { ...started, at: "later" }, { ...changed, at: "last" }]);

    expect(view.items).toStrictEqual([
      { at, event: { kind: "TOOL_CALL_UPDATE", toolCall: done, answer: second } },
    ]);
    expect(fold([started]).items).toStrictEqual([
      { at, event: { kind: "TOOL_CALL_UPDATE", toolCall: executing, answer } },
    ]);
    expect(fold([asked, ended]).items).toStrictEqual([
      { at, event: { kind: "TOOL_CALL_UPDATE", toolCall: done } },
    ]);
  });

  test("the item of a nested call keeps the id of the parent call", () => {
    const nested = { ...asked, parentCallId: "outer" } as SessionEvent;

    expect(fold([nested, ended]).items).toStrictEqual([
      { at, event: { kind: "TOOL_CALL_UPDATE", toolCall: done, parentCallId: "outer" } },
    ]);
  });

  test("the end of one call leaves other calls open", () => {
    const other = buildToolCall({ toolCallId: "call-2", status: "EXECUTING" });
    const beside = buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: other });
    const waiting = [buildQuestion()];
    const change = buildEvent({ kind: "STATE_CHANGE", waiting }, { state: "input-required" });

    expect(fold([asked, beside, ended]).openCalls).toEqual([other]);
    expect(fold([beside, change]).openCalls).toEqual([other, buildQuestion()]);
    expect(fold([asked, beside, change]).openCalls).toEqual([buildQuestion(), other]);
  });

  test("a tool call is open until it ends", () => {
    expect(fold([asked]).openCalls).toEqual([buildQuestion()]);
    expect(fold([asked, started]).openCalls).toEqual([executing]);
    expect(fold([asked, started, ended]).openCalls).toEqual([]);
  });

  test("a tool call is an open question while it waits for an answer [RFC-14]", () => {
    expect(openQuestions(fold([asked]))).toEqual([buildQuestion()]);
    expect(openQuestions(fold([asked, started]))).toEqual([]);
  });

  test("an update does not change the order of the open calls", () => {
    const second = buildEvent({
      kind: "TOOL_CALL_UPDATE",
      toolCall: buildQuestion({ toolCallId: "call-2" }),
    });

    const view = fold([asked, second, started]);

    expect(view.openCalls.map(({ toolCallId }) => toolCallId)).toEqual(["call-1", "call-2"]);
  });

  test("a question is open even if only the change to input-required contains it [RFC-14]", () => {
    const waiting = [buildQuestion()];
    const change = buildEvent({ kind: "STATE_CHANGE", waiting }, { state: "input-required" });

    expect(openQuestions(fold([change]))).toEqual(waiting);
  });

  test.each(["completed", "failed", "canceled"] as const)(
    "a tool call is no longer open when its task is %s",
    (state) => {
      expect(fold([asked, enter(state)]).openCalls).toEqual([]);
    },
  );
});

test("a prompt that is shown already is not added again", () => {
  const origin = { principal: "local", name: "ide" };
  const prompt = (messageId: string) =>
    buildEvent({
      kind: "USER_PROMPT",
      messageId,
      parts: [{ type: "text" as const, text: messageId }],
      origin,
    });
  const view = fold([prompt("one"), say("a"), prompt("two"), say("b"), prompt("one"), say("c")]);

  const said = view.items.map(({ event }) => ("parts" in event ? textOf(event.parts) : event.kind));
  expect(said).toEqual(["one", "TEXT_CONTENT", "two", "TEXT_CONTENT", "TEXT_CONTENT"]);
});

test("prompts without an id are all different, and each ends the text before it", () => {
  const origin = { principal: "local", name: "ide" };
  const prompt = buildEvent({ kind: "USER_PROMPT", messageId: "", parts: [], origin });

  const view = fold([prompt, say("a"), prompt, say("b")]);

  expect(view.items.map(({ event }) => event.kind)).toEqual([
    "USER_PROMPT",
    "TEXT_CONTENT",
    "USER_PROMPT",
    "TEXT_CONTENT",
  ]);
});

test("the header of an event replaces the header of the view", () => {
  const presence = { mode: "yolo", clients: 2, caller: undefined };
  const usage = { inputTokens: 1, outputTokens: 2, thoughtTokens: 3, cachedTokens: 4 };
  const about = { state: "failed", model: "m", usage, cursor: "4", error: "no" } as const;
  const event = buildEvent({ kind: "STATE_CHANGE" }, { ...about, userTier: "t", traceId: "x" });
  const known = { ...emptyTaskView("other", "elsewhere"), error: "old", presence };

  expect(reduceTaskView(known, event)).toStrictEqual({
    ...emptyTaskView("task-1", "context-1"),
    ...about,
    at,
  });
});

test("a view keeps its cursor after live output, which has no cursor", () => {
  const live = buildEvent({
    kind: "TOOL_CALL_UPDATE",
    toolCall: buildToolCall({ status: "EXECUTING", liveContent: "1 of 2" }),
  });

  const view = fold([{ ...log, cursor: "4" }, live]);

  expect(view.cursor).toBe("4");
  expect(view.openCalls[0]?.liveContent).toBe("1 of 2");
});

test("a view keeps an error until the next event", () => {
  const failed = { ...enter("failed"), error: "the model did not answer" };

  expect(fold([failed]).error).toBe("the model did not answer");
  expect(fold([failed, enter("working")])).not.toHaveProperty("error");
});

test("a view keeps the model and the usage until an event changes them", () => {
  const usage = { inputTokens: 1, outputTokens: 2, thoughtTokens: 3, cachedTokens: 4 };

  const view = fold([{ ...log, model: "offline", usage }, say("a")]);

  expect(view).toMatchObject({ model: "offline", usage, state: "working", at });
});

test("the queue and the settings are fields of the view, not items", () => {
  const prompts = [{ messageId: "m", text: "then this", origin: { principal: "local", name: "" } }];
  const settings = { workspacePath: "/w", allowedTools: [], mcpServers: {} };

  const view = fold([
    buildEvent({ kind: "QUEUE", prompts }),
    buildEvent({ kind: "AGENT_SETTINGS", settings }),
  ]);

  expect(view).toMatchObject({ queue: prompts, settings, items: [] });
});

test.each<AgentEvent>([
  { kind: "THOUGHT", thought: { subject: "s", description: "d" } },
  { kind: "CITATION", citation: { uri: "http://x", title: "x" } },
  { kind: "CONSOLE_LOG", log: { type: "info", content: "x" } },
  { kind: "THOUGHT_SUMMARY", thoughtSummary: { summary: "s" } },
  { kind: "UNKNOWN", wireKind: "FUTURE", parts: [], extension: "session" },
  { kind: "UNKNOWN", wireKind: "", parts: [{ type: "text", text: "x" }] },
  {
    kind: "USER_PROMPT",
    messageId: "m",
    parts: [{ type: "text", text: "hi" }],
    origin: { principal: "terminal", name: "" },
  },
])("an event of kind $kind becomes an item without the event's header", (event) => {
  expect(fold([buildEvent(event, { cursor: "1" })]).items).toStrictEqual([{ at, event }]);
});

describe("long conversations", () => {
  const numbered = (index: number) =>
    buildEvent({ kind: "CONSOLE_LOG", log: { type: "info", content: String(index) } });

  test("a view with exactly the maximum number of items has dropped none", () => {
    const view = fold(Array.from({ length: MAX_VIEW_ITEMS }, (_, index) => numbered(index)));

    expect([view.items.length, view.earlierItems, MAX_VIEW_ITEMS]).toEqual([200, 0, 200]);
  });

  test("a view with too many items keeps the last items and counts the dropped items", () => {
    const view = fold(Array.from({ length: MAX_VIEW_ITEMS + 50 }, (_, index) => numbered(index)));

    expect(view.items).toHaveLength(MAX_VIEW_ITEMS);
    expect(view).toMatchObject({ earlierItems: 50, isTextOpen: false });
    expect(view.items[0]?.event).toMatchObject({ log: { content: "50" } });
  });

  test("the number of items and open calls in a view is bounded", () => {
    let view = emptyTaskView("task-1", "context-1");
    for (let index = 0; index < 5_000; index += 1) {
      view = reduceTaskView(view, numbered(index));
      const toolCall = buildToolCall({ toolCallId: `call-${index}`, status: "EXECUTING" });
      view = reduceTaskView(view, buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall }));
      view = reduceTaskView(
        view,
        buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: { ...toolCall, status: "SUCCEEDED" } }),
      );
      expect(view.items.length + view.openCalls.length).toBeLessThanOrEqual(MAX_VIEW_ITEMS);
    }
    expect(view.earlierItems).toBe(10_000 - MAX_VIEW_ITEMS);
  });

  test("an update of a call adds its item again if the item was dropped", () => {
    const toolCall = buildToolCall({ status: "EXECUTING" });
    const events = Array.from({ length: MAX_VIEW_ITEMS }, (_, index) => numbered(index));
    const update = buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall });

    const view = fold([update, ...events, update]);

    expect(view.items.at(-1)?.event).toEqual({ kind: "TOOL_CALL_UPDATE", toolCall });
    expect(view.openCalls).toEqual([toolCall]);
  });
});

test("in every session, a call is open until it has ended, and views are never mutated", () => {
  fc.assert(
    fc.property(arbitrarySession, (events) => {
      let view = emptyTaskView("task-1", "context-1");
      for (const event of events) {
        const before = JSON.stringify(view);
        const next = reduceTaskView(view, event);
        expect(JSON.stringify(view)).toBe(before);
        view = next;
      }
      const open = view.items.flatMap(({ event }) =>
        event.kind === "TOOL_CALL_UPDATE" && !isTerminalStatus(event.toolCall.status)
          ? [event.toolCall]
          : [],
      );
      expect(view.openCalls).toEqual(isTerminalState(view.state) ? [] : open);
    }),
    { numRuns: 50 },
  );
});

test("a view without events is empty", () => {
  expect(emptyTaskView("t", "c")).toStrictEqual({
    taskId: "t",
    contextId: "c",
    state: "submitted",
    at: "",
    items: [],
    isTextOpen: false,
    earlierItems: 0,
    openCalls: [],
    queue: [],
  });
});

test("an agent with only the RFC's extension sends six kinds of events", () => {
  const kinds: Record<AgentEvent["kind"], boolean> = {
    STATE_CHANGE: true,
    TEXT_CONTENT: true,
    THOUGHT: true,
    TOOL_CALL_UPDATE: true,
    ARTIFACT: true,
    UNKNOWN: true,
    USER_PROMPT: false,
    CITATION: false,
    CONSOLE_LOG: false,
    THOUGHT_SUMMARY: false,
    AGENT_SETTINGS: false,
    QUEUE: false,
    TODOS: false,
    USAGE: false,
    MODE: false,
    TITLE: false,
    WARNING: false,
    BACKGROUND_PROCESS: false,
    REWOUND: false,
    ACCESS: false,
  };
  const names = Object.keys(kinds) as AgentEvent["kind"][];

  expect(Object.fromEntries(names.map((kind) => [kind, isRfcKind(kind)]))).toEqual(kinds);
});

test("textOf joins the text parts of a message", () => {
  const parts = [
    { type: "text", text: "a" },
    { type: "data", data: {} },
    { type: "text", text: "b" },
  ] as const;

  expect(textOf(parts)).toBe("a\nb");
});

function fold(events: readonly SessionEvent[]): TaskView {
  return events.reduce(reduceTaskView, emptyTaskView("task-1", "context-1"));
}

function textsOf(view: TaskView): readonly string[] {
  return view.items.flatMap(({ event }) => (event.kind === "TEXT_CONTENT" ? [event.text] : []));
}
