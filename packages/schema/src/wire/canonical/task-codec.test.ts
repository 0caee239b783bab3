import { Task } from "@a2a-js/sdk";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionEvent } from "../../event/agent-event.js";
import { MAX_VIEW_ITEMS, reduceTaskView } from "../../event/reduce-task-view.js";
import { emptyTaskView, openQuestions, type TaskView } from "../../event/task-view.js";
import {
  DEFAULT_EXTENSION_URIS,
  DEVELOPMENT_TOOL_URI,
  SESSION_URI,
} from "../../extension/extension-uri.js";
import { arbitrarySession } from "../../testing/arbitrary/arbitrary-session.js";
import { buildEvent } from "../../testing/build-event.js";
import { buildQuestion, buildToolCall } from "../../testing/build-tool-call.js";
import type { A2aSpelling, A2aTask } from "../a2a/a2a.js";
import { V0_3 } from "../a2a/v0-3.js";
import { V1_0 } from "../a2a/v1-0.js";
import type { Activation } from "./event-codec.js";
import { decodeTask, encodeTask } from "./task-codec.js";

const uris = DEFAULT_EXTENSION_URIS;
const both: Activation = { uris, developmentTool: true, session: true };
const rfcOnly: Activation = { uris, developmentTool: true, session: false };
const none: Activation = { uris, developmentTool: false, session: false };

describe.each([V0_3, V1_0])("A2A $version", (spelling) => {
  test("a task keeps its items, state, cursor, open calls and questions", () => {
    fc.assert(
      fc.property(arbitrarySession, (events) => {
        const view = fold(events);

        expect(snapshotOf(view, spelling)).toEqual(withoutOwnFields(view));
      }),
      { numRuns: 60 },
    );
  });

  test("folding a snapshot and the later events gives the same view as folding all events", () => {
    const cutSession = arbitrarySession.chain((events) =>
      fc.record({ events: fc.constant(events), cut: fc.nat({ max: events.length }) }),
    );
    fc.assert(
      fc.property(cutSession, ({ events, cut }) => {
        const snapshot = snapshotOf(fold(events.slice(0, cut)), spelling);

        const resumed = events.slice(cut).reduce(reduceTaskView, snapshot);

        expect(withoutOwnFields(resumed)).toEqual(withoutOwnFields(fold(events)));
      }),
      { numRuns: 120 },
    );
  });
});

test("presence is sent to clients of the session extension, and kept until the next event", () => {
  const presence = { mode: "plan", clients: 3, caller: undefined };
  const view: TaskView = { ...emptyTaskView("task-1", "context-1"), presence };
  const seen = decodeTask(encodeTask(view, { activation: both }), uris);

  expect(seen.presence).toEqual(presence);
  expect(reduceTaskView(seen, buildEvent({ kind: "STATE_CHANGE" })).presence).toBeUndefined();
  expect(decodeTask(encodeTask(view, { activation: rfcOnly }), uris).presence).toBeUndefined();
});

test("the official SDK returns our tasks unchanged", () => {
  fc.assert(
    fc.property(arbitrarySession, (events) => {
      const task = encodeTask(fold(events), { activation: both });
      const json = JSON.parse(JSON.stringify(V1_0.encodeTask(task)));

      expect(Task.toJSON(Task.fromJSON(json))).toEqual(json);
    }),
    { numRuns: 60 },
  );
});

describe("open questions", () => {
  const view = fold([
    buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildQuestion() }),
    buildEvent({ kind: "STATE_CHANGE", waiting: [buildQuestion()] }, { state: "input-required" }),
  ]);

  test.each([both, rfcOnly])(
    "a task without its history still contains the open questions [RFC-14]",
    (activation) => {
      const task = encodeTask(view, { activation, historyLength: 0 });

      const decoded = decodeTask(task, uris);

      expect(task.history).toBeUndefined();
      expect(openQuestions(decoded)).toEqual([buildQuestion()]);
    },
  );

  test("a task that has ended contains no open questions", () => {
    const ended = reduceTaskView(view, buildEvent({ kind: "STATE_CHANGE" }, { state: "canceled" }));

    expect(decodeTask(encodeTask(ended, { activation: both }), uris).openCalls).toEqual([]);
  });
});

describe("the content of a task", () => {
  const prompt = buildEvent({
    kind: "USER_PROMPT",
    messageId: "m-1",
    parts: [{ type: "text", text: "hello" }],
    origin: { principal: "terminal", name: "" },
  });
  const events = [
    prompt,
    buildEvent({ kind: "STATE_CHANGE" }),
    buildEvent({ kind: "THOUGHT", thought: { subject: "s", description: "d" } }),
    buildEvent({ kind: "CITATION", citation: { uri: "http://x", title: "x" } }),
    buildEvent({ kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall({ status: "SUCCEEDED" }) }),
    buildEvent({ kind: "TEXT_CONTENT", text: "Hello." }, { model: "offline", cursor: "6" }),
    buildEvent({ kind: "STATE_CHANGE" }, { state: "completed", cursor: "7" }),
  ];
  const kindsIn = (task: A2aTask) => decodeTask(task, uris).items.map(({ event }) => event.kind);

  test("a task for a client of both extensions contains every item", () => {
    expect(kindsIn(encodeTask(fold(events), { activation: both }))).toEqual([
      "USER_PROMPT",
      "THOUGHT",
      "CITATION",
      "TOOL_CALL_UPDATE",
      "TEXT_CONTENT",
    ]);
  });

  test("a task for a client of only the RFC has items of the RFC's kinds, and prompts [RFC-06]", () => {
    const task = encodeTask(fold(events), { activation: rfcOnly });

    expect(kindsIn(task)).toEqual(["USER_PROMPT", "THOUGHT", "TOOL_CALL_UPDATE", "TEXT_CONTENT"]);
    expect(JSON.stringify(task)).not.toContain(SESSION_URI);
    expect(task.metadata).toEqual({ [DEVELOPMENT_TOOL_URI]: { model: "offline" } });
  });

  test("a task for a plain client has text and no metadata [RFC-06]", () => {
    const task = encodeTask(fold(events), { activation: none });

    expect(task).toEqual({
      id: "task-1",
      contextId: "context-1",
      status: { state: "completed", timestamp: prompt.at },
      history: [
        {
          messageId: "m-1",
          role: "user",
          parts: [{ type: "text", text: "hello" }],
          taskId: "task-1",
          contextId: "context-1",
        },
        {
          messageId: "task-1:item-1",
          role: "agent",
          parts: [{ type: "text", text: "Hello." }],
          taskId: "task-1",
          contextId: "context-1",
        },
      ],
    });
  });

  test("a task contains only its last messages if historyLength limits them", () => {
    expect(kindsIn(encodeTask(fold(events), { activation: both, historyLength: 2 }))).toEqual([
      "TOOL_CALL_UPDATE",
      "TEXT_CONTENT",
    ]);
  });

  test("a failed task has its error in the metadata and as text", () => {
    const failed = buildEvent(
      { kind: "STATE_CHANGE" },
      { state: "failed", error: "the model did not answer" },
    );

    const task = encodeTask(fold([prompt, failed]), { activation: rfcOnly });

    expect(task.metadata).toEqual({
      [DEVELOPMENT_TOOL_URI]: { error: "the model did not answer" },
    });
    expect(task.status.message?.parts).toEqual([
      { type: "text", text: "the model did not answer" },
    ]);
    expect(decodeTask(task, uris).error).toBe("the model did not answer");
  });

  test("message ids count from the first item of the task, even if items were dropped", () => {
    const log = { kind: "CONSOLE_LOG", log: { type: "info", content: "x" } } as const;
    const view = fold(Array.from({ length: MAX_VIEW_ITEMS + 3 }, () => buildEvent(log)));

    const task = encodeTask(view, { activation: both });

    expect(view.earlierItems).toBe(3);
    expect(task.history?.[0]?.messageId).toBe("task-1:item-3");
    expect(decodeTask(task, uris).earlierItems).toBe(0);
  });
});

test("a task of a plain A2A agent is decoded as far as possible, with any metadata and data", () => {
  const task: A2aTask = {
    id: "t",
    contextId: "c",
    status: {
      state: "auth-required",
      message: { messageId: "s", role: "agent", parts: [{ type: "data", data: { form: 1 } }] },
    },
    history: [
      { messageId: "1", role: "user", parts: [{ type: "text", text: "a" }] },
      {
        messageId: "2",
        role: "agent",
        parts: [{ type: "text", text: "b" }],
        metadata: { "urn:other": { at: "yesterday" } },
      },
      { messageId: "3", role: "agent", parts: [{ type: "text", text: "c" }] },
    ],
  };

  expect(decodeTask(task, uris)).toEqual({
    ...emptyTaskView("t", "c"),
    state: "auth-required",
    statusParts: [{ type: "data", data: { form: 1 } }],
    items: [
      {
        at: "",
        event: {
          kind: "USER_PROMPT",
          messageId: "1",
          parts: [{ type: "text", text: "a" }],
          origin: { principal: "unknown", name: "" },
        },
      },
      { at: "", event: { kind: "TEXT_CONTENT", text: "b" } },
      { at: "", event: { kind: "TEXT_CONTENT", text: "c" } },
    ],
  });
});

function fold(events: readonly SessionEvent[]): TaskView {
  return events.reduce(reduceTaskView, emptyTaskView("task-1", "context-1"));
}

function snapshotOf(view: TaskView, spelling: A2aSpelling): TaskView {
  const json = spelling.encodeTask(encodeTask(view, { activation: both }));
  return decodeTask(spelling.decodeTask(JSON.parse(JSON.stringify(json)), ""), uris);
}

/** Removes the fields of a view that no A2A task has: queue, settings, number of dropped items. */
function withoutOwnFields({ settings: _, ...view }: TaskView): TaskView {
  return { ...view, queue: [], earlierItems: 0 };
}
