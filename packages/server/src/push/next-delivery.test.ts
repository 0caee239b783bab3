import {
  type AgentEvent,
  type StampedEvent,
  type TaskState,
  DEFAULT_EXTENSION_URIS as uris,
} from "@dt/schema";
import { buildQuestion, buildToolCall } from "@dt/schema/testing";
import { createDialects } from "@dt/schema/wire";
import { describe, expect, test } from "vitest";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import type { PushProgress, PushRecord, PushTarget } from "../store/push-record.js";
import { commitTo } from "../testing/commit-to.js";
import { createBodyCache } from "./body-cache.js";
import { findNextDelivery } from "./next-delivery.js";

const at = "2026-01-01T00:00:00.000Z";
const stamp = (event: AgentEvent, state: TaskState = "working", taskId = "task"): StampedEvent => ({
  ...event,
  taskId,
  turn: 1,
  state,
  at,
});
const text = stamp({ kind: "TEXT_CONTENT", text: "hello" });
const change = (state: TaskState) => stamp({ kind: "STATE_CHANGE" }, state);
const call = (toolCall: ReturnType<typeof buildToolCall>) =>
  stamp({ kind: "TOOL_CALL_UPDATE", toolCall });
const question = buildQuestion();
const asks = stamp({ kind: "STATE_CHANGE", waiting: [question] }, "input-required");

async function openLog(events: readonly StampedEvent[]) {
  const store = openMemoryStore();
  const settings = { workspacePath: "/", allowedTools: [], mcpServers: {} };
  await commitTo(store, [
    {
      contextId: "context",
      session: { contextId: "context", owner: "alice", settings, createdAt: at },
      events: events.map((event, index) => ({ position: index + 1, event })),
      journal: [],
      isCritical: false,
    },
  ]);
  return store;
}

function buildPush(target: Partial<PushTarget>, progress: Partial<PushProgress>): PushRecord {
  return {
    taskId: "task",
    configId: "config",
    contextId: "context",
    revision: "1",
    target: {
      url: "https://example.com",
      version: "1.0",
      developmentTool: true,
      session: true,
      allEvents: false,
      ...target,
    },
    progress: {
      after: 0,
      isTaskDue: false,
      attempts: 0,
      failures: 0,
      hasGivenUp: false,
      ...progress,
    },
  };
}

async function nextOf(
  events: readonly StampedEvent[],
  target: Partial<PushTarget> = {},
  progress: Partial<PushProgress> = {},
) {
  const store = await openLog(events);
  const next = await findNextDelivery(buildPush(target, progress), {
    store,
    dialects: createDialects(uris),
    bodies: createBodyCache(),
  });
  if (next.type !== "call") return { next };
  return { next, position: next.delivery.position, body: JSON.parse(next.delivery.body) };
}

describe("the next delivery of a config", () => {
  const burst = Array.from({ length: 30 }, () => text);
  const done = call(buildToolCall({ status: "SUCCEEDED" }));

  test.each([
    ["a change of state", [...burst, change("completed")], 31],
    ["a question", [...burst, call(question)], 31],
    ["a finished tool call", [call(buildToolCall({ status: "EXECUTING" })), text, done], 3],
  ])(
    "the next delivery is %s after other events, which are skipped",
    async (_, events, position) => {
      expect((await nextOf(events)).position).toBe(position);
    },
  );

  test("the next delivery is the next event of any kind if the config includes all events", async () => {
    expect((await nextOf([text, done], { allEvents: true })).position).toBe(1);
    expect((await nextOf([text, done], { allEvents: true }, { after: 1 })).position).toBe(2);
  });

  test("the next delivery is an undelivered event of the config's own task", async () => {
    const other = stamp({ kind: "STATE_CHANGE" }, "completed", "other");

    expect(
      (await nextOf([change("working"), other, change("completed")], {}, { after: 1 })).position,
    ).toBe(3);
    expect((await nextOf([change("completed")], {}, { after: 1 })).next).toEqual({ type: "none" });
    expect((await nextOf([])).next).toEqual({ type: "none" });
  });

  test("the position skips to the last event if the config includes none of the events", async () => {
    expect((await nextOf([text, text])).next).toEqual({ type: "skip", position: 2 });
    const plain = { developmentTool: false, session: false };
    expect((await nextOf([done], plain)).next).toEqual({ type: "skip", position: 1 });
    const queue = stamp({ kind: "QUEUE", prompts: [] });
    const rfc = { session: false, allEvents: true };
    expect((await nextOf([queue], rfc)).next).toEqual({ type: "skip", position: 1 });
  });

  test("the next delivery is found after many events that the config does not include", async () => {
    const running = Array.from({ length: 20 }, () => call(buildToolCall({ status: "EXECUTING" })));

    expect((await nextOf([...running, change("failed")])).position).toBe(21);
    const words = Array.from({ length: 9_000 }, () => text);
    expect((await nextOf([...words, change("failed")])).position).toBe(9_001);
    expect((await nextOf(words)).next).toEqual({ type: "skip", position: 9_000 });
  });
});

test("other work can run while many events are searched through", async () => {
  let hasRun = false;
  setImmediate(() => {
    hasRun = true;
  });

  await nextOf(Array.from({ length: 9_000 }, () => text));

  expect(hasRun).toBe(true);
});

test.each([
  ["of the task's last event", 2, /^2\.1\./],
  ["0 if the log has lost the task's last event", 9, /^9\.[0-9a-z]+$/],
])(
  "the cursor of a delivery with the whole task has the epoch %s",
  async (_what, after, expected) => {
    const { next } = await nextOf([text, asks], {}, { isTaskDue: true, after });

    expect(next).toMatchObject({ delivery: { cursor: expect.stringMatching(expected) } });
  },
);

test("the body in A2A 1.0 is the event in the same form as in a stream, with its cursor", async () => {
  const { next, body } = await nextOf([change("completed")]);
  const cursor = next.type === "call" && next.delivery.cursor;

  expect(body).toEqual({
    statusUpdate: {
      taskId: "task",
      contextId: "context",
      status: { state: "TASK_STATE_COMPLETED", timestamp: at },
      metadata: {
        [uris.developmentTool]: { kind: "STATE_CHANGE" },
        [uris.session]: { cursor },
      },
    },
  });
});

test("the body in A2A 0.3 is the task with the status of the event", async () => {
  const { body } = await nextOf([asks], { version: "0.3", session: false });

  expect(body).toMatchObject({
    kind: "task",
    id: "task",
    contextId: "context",
    status: {
      state: "input-required",
      message: { parts: [{ kind: "data", data: { tool_call_id: question.toolCallId } }] },
    },
    metadata: { [uris.developmentTool]: { kind: "STATE_CHANGE" } },
  });
  expect(body).not.toHaveProperty("history");
});

test("a plain client gets questions as text, and in A2A 0.3 the reply as an artifact", async () => {
  const plain = { developmentTool: false, session: false };
  const old = { ...plain, version: "0.3" as const };
  const asked = await nextOf([asks], plain);
  const answered = await nextOf([text, change("completed"), text], old);

  const [part] = asked.body.statusUpdate.status.message.parts;
  expect(part.text).toContain("proceed_once");
  expect(asked.body.statusUpdate).not.toHaveProperty("metadata");
  expect(answered.position).toBe(2);
  expect(answered.body).toMatchObject({
    kind: "task",
    status: { state: "completed" },
    artifacts: [{ parts: [{ text: "hello" }] }],
  });
});

test("the body is the whole task for a config that was set after the first event", async () => {
  const events = [text, asks, change("completed")];
  const due = { isTaskDue: true, after: 2 };
  const task = await nextOf(events, {}, due);
  const old = await nextOf(events, { version: "0.3" }, due);

  expect(task.position).toBe(2);
  expect(task.body.task).toMatchObject({
    id: "task",
    status: {
      state: "TASK_STATE_INPUT_REQUIRED",
      message: { parts: [{ data: { tool_call_id: question.toolCallId } }] },
    },
  });
  expect(task.body.task).not.toHaveProperty("history");
  expect(old.body).toMatchObject({ kind: "task", status: { state: "input-required" } });
});

test("a delivery has the same id and body in every attempt", async () => {
  const events = [change("working"), change("completed")];
  const idOf = async (progress: Partial<PushProgress>, target: Partial<PushTarget> = {}) => {
    const { next } = await nextOf(events, target, progress);
    return next.type === "call" ? [next.delivery.id, next.delivery.body] : [];
  };

  const first = await idOf({});
  const again = await idOf({ attempts: 3, failures: 2 });
  const ids = [
    first[0],
    (await idOf({ after: 1 }))[0],
    (await idOf({ isTaskDue: true, after: 2 }))[0],
    (await idOf({}, { life: "one" }))[0],
    (await idOf({}, { life: "another" }))[0],
  ];

  expect(again).toEqual(first);
  expect(new Set(ids).size).toBe(ids.length);
  // A delivery that is repeated after an update of dt must have the id of its first attempt.
  expect(first[0]).toBe("f620f0e3eed9ef44a3fac5a03a4b4464");
});

test.each([
  ["a config that was set late", {}, { after: 3, isTaskDue: true }],
  ["a plain 0.3 client", { version: "0.3", developmentTool: false, session: false }, {}],
] as const)(
  "the task in the body for %s is folded once for all attempts and configs",
  async (_, target, progress) => {
    const store = await openLog([text, text, change("completed")]);
    const folds: unknown[] = [];
    const counting: typeof store = {
      ...store,
      findView(taskId) {
        folds.push(taskId);
        return store.findView(taskId);
      },
    };
    const source = { store: counting, dialects: createDialects(uris), bodies: createBodyCache() };
    const push = buildPush(target, progress);

    const first = await findNextDelivery(push, source);
    const again = await findNextDelivery(push, source);
    const other = await findNextDelivery({ ...push, configId: "other" }, source);

    expect(folds).toHaveLength(1);
    expect(again).toEqual(first);
    expect(other.type === "call" && other.delivery.id).not.toBe(
      first.type === "call" && first.delivery.id,
    );
  },
);
