import { createBuiltinTools, type Model, type ModelPart, type ModelRequest } from "@dt/agent-core";
import { callTool, say } from "@dt/agent-core/testing";
import { isQuestion, isText, type SessionEvent, type TaskHandle } from "@dt/client";
import { DEVELOPMENT_TOOL_URI, SESSION_URI, textOf } from "@dt/schema";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { openStage } from "./support/open-stage.js";
import { post, readStream } from "./support/raw-rpc.js";

const usage = { inputTokens: 7, outputTokens: 1, thoughtTokens: 0, cachedTokens: 0 };
const todos = [{ description: "write it", status: "pending" }];

/**
 * A model that first requests a todo list and a file write. Its next reply is one text, which contains the
 * result of the write and all prompts after the first prompt.
 */
const model: Model = {
  name: "scripted",
  contextTokens: 1_000,
  async *stream({ history }): AsyncGenerator<ModelPart> {
    yield { type: "usage", usage };
    const results = history.flatMap((item) => (item.role === "tool" ? item.results : []));
    if (results.length === 0) {
      yield callTool("write_todos", { todos });
      yield callTool("write_file", { file_path: "a.txt", content: "a" });
      return;
    }
    const written = results.find(({ toolName }) => toolName === "write_file")?.text ?? "";
    yield say([written, ...promptsIn(history).slice(1)].join(" | "));
  },
};

function promptsIn(history: ModelRequest["history"]): readonly string[] {
  return history.flatMap((item) => (item.role === "user" ? [textOf(item.parts)] : []));
}

async function openSessionStage() {
  const tools = createBuiltinTools({ environment: {}, outputDirectory: "", memoryFile: "" });
  const stage = await openStage({ model, tools });
  const workspacePath = stage.workspace.root;
  const rawPrompt = {
    parts: [{ kind: "text", text: "write it" }],
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: workspacePath } },
  };
  return { ...stage, rawPrompt, start: { workspacePath, prompt: "write it\nplease" } };
}

/** Reads the events of a task to their end. Calls `onQuestion` for each question. */
async function readAll(task: TaskHandle, onQuestion: (event: SessionEvent) => Promise<unknown>) {
  const events: SessionEvent[] = [];
  for await (const event of task.events()) {
    events.push(event);
    if (isQuestion(event)) await onQuestion(event);
  }
  return events;
}

const texts = (events: readonly SessionEvent[]) => events.filter(isText).map(({ text }) => text);
const cases = [
  ["0.3", "sse"],
  ["1.0", "sse"],
  ["1.0", "websocket"],
] as const;

test.each(cases)(
  "the model gets the reason of a refusal in the same turn, over A2A %s and %s [RFC-20]",
  async (version, transport) => {
    await using stage = await openSessionStage();
    const client = await stage.connect({ version, transport, WebSocket });
    const task = await client.startTask(stage.start);

    const events = await readAll(task, async (event) => {
      if (isQuestion(event)) await task.answer(event.toolCall, { reason: "use b.txt" });
    });

    expect(texts(events)).toEqual(["The user did not allow this and said: use b.txt"]);
    const refused = events.find((event) => event.kind === "TOOL_CALL_UPDATE" && event.answer);
    expect(refused).toMatchObject({
      toolCall: { status: "CANCELLED" },
      answer: { selectedOptionId: "cancel", reason: "use b.txt" },
    });
    expect(stage.faults).toEqual([]);
  },
);

test.each(cases)(
  "a steering prompt is accepted while a question is open, over A2A %s and %s",
  async (version, transport) => {
    await using stage = await openSessionStage();
    const client = await stage.connect({ version, transport, WebSocket });
    const task = await client.startTask(stage.start);

    const events = await readAll(task, async (event) => {
      await task.prompt("use tabs", { steer: true });
      if (isQuestion(event)) await task.answer(event.toolCall, "proceed_once");
    });

    expect(texts(events)).toEqual([expect.stringMatching(/^wrote .* \| use tabs$/s)]);
    const ends = events.filter(
      ({ kind, state }) => kind === "STATE_CHANGE" && state === "completed",
    );
    expect(ends).toHaveLength(1);
    const prompts = events.filter(({ kind }) => kind === "USER_PROMPT");
    expect(prompts).toMatchObject([{ parts: [{ text: "use tabs" }], taskId: task.taskId }]);
  },
);

test("a steering prompt without a running turn starts a turn", async () => {
  await using stage = await openSessionStage();
  const client = await stage.connect();
  const task = await client.startTask(stage.start);
  await readAll(task, async (event) => {
    if (isQuestion(event)) await task.answer(event.toolCall, "cancel");
  });

  await task.prompt("use tabs", { steer: true });

  const events = await readAll(task, async () => {});
  expect(texts(events)).toEqual([expect.stringMatching(/ \| use tabs$/)]);
});

test("a loop ends if its turn is cancelled after a steering prompt has joined the turn", async () => {
  await using stage = await openSessionStage();
  const client = await stage.connect();
  const task = await client.startTask(stage.start);

  const events = await readAll(task, async () => {
    await task.prompt("use tabs", { steer: true });
    await task.cancel();
  });

  expect(events.at(-1)).toMatchObject({ kind: "STATE_CHANGE", state: "canceled" });
});

test("a re-sent steering message gets the events of the turn that it joined [LOG-05]", async () => {
  await using stage = await openSessionStage();
  const first = await readStream(await send(stage, "first", stage.rawPrompt));
  const [task, question] = [first.at(0), first.at(-1)].map((event) => event?.json.result);
  const { id: taskId, contextId } = task;
  const { tool_call_id } = question.status.message.parts[0].data;
  const steering = {
    taskId,
    contextId,
    parts: [{ kind: "text", text: "use tabs" }],
    metadata: { [DEVELOPMENT_TOOL_URI]: {}, [SESSION_URI]: { steer: true } },
  };
  const refusal = { kind: "data", data: { tool_call_id, selected_option_id: "cancel" } };

  const streams = [await send(stage, "again", steering), await send(stage, "again", steering)];
  await send(stage, "answer", { taskId, contextId, parts: [refusal], metadata: {} });
  const [one, other] = await Promise.all(streams.map(readStream));

  const states = one?.map(({ json }) => json.result.status.state);
  expect(states?.[0]).toBe("input-required");
  expect(states?.at(-1)).toBe("completed");
  expect(other?.map(({ json }) => json.result.status.state)).toEqual(states);
});

async function send(stage: { readonly url: string }, messageId: string, fields: object) {
  const message = { kind: "message", messageId, role: "user", ...fields };
  const headers = { "X-A2A-Extensions": DEVELOPMENT_TOOL_URI };
  return await post(stage.url, "message/stream", { message }, headers);
}

test("a client that opens a task later gets the title, todo list and usage of the session", async () => {
  await using stage = await openSessionStage();
  const [one, two] = [await stage.connect(), await stage.connect()];
  const task = await one.startTask(stage.start);
  for await (const event of task.events()) if (event.state === "input-required") break;

  const joined = await two.openTask(task.taskId);

  const facts = {
    title: "write it",
    todos: [{ description: "write it", status: "PENDING" }],
    usage: { turn: usage, session: usage, contextTokens: 8, contextLimit: 1_000 },
  };
  expect(joined.view().facts).toMatchObject(facts);
  expect(task.view().facts).toMatchObject(facts);
});

test("a client with only the RFC's extension gets no events of our session extension", async () => {
  await using stage = await openSessionStage();

  const events = await readStream(await send(stage, "first", stage.rawPrompt));

  expect(JSON.stringify(events)).not.toContain(SESSION_URI);
  const kinds = events.map(({ json }) => json.result.metadata?.[DEVELOPMENT_TOOL_URI]?.kind);
  expect(new Set(kinds.slice(1))).toEqual(new Set(["STATE_CHANGE", "TOOL_CALL_UPDATE"]));
});
