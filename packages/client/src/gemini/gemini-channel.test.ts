import type { Part, SessionEvent } from "@dt/schema";
import { expect, test } from "vitest";
import { createCredentials } from "../access/credentials.js";
import { connect } from "../connect.js";
import { createConnectionMonitor } from "../task/connection-monitor.js";
import {
  createGeminiStandIn,
  type GeminiStandInOptions,
} from "../testing/gemini/gemini-stand-in.js";
import { geminiScript } from "../testing/gemini/stand-in-script.js";
import { createHttpTransport } from "../transport/http-transport.js";
import { systemWallClock as now } from "../transport/wall-clock.js";
import { createGeminiChannel } from "./gemini-channel.js";

const { call, say, writeFile } = geminiScript;
const url = "http://stand.in/";

/** Opens a channel whose requests go to a stand-in in this process, without a socket. */
function openChannel(options: GeminiStandInOptions) {
  const standIn = createGeminiStandIn(options);
  const fetch: typeof globalThis.fetch = async (input, init) =>
    await standIn.handle(new Request(input, init));
  const closing = new AbortController();
  const channel = createGeminiChannel({
    transport: createHttpTransport({ url, headers: {}, fetch, now }),
    url,
    headers: {},
    credentials: createCredentials({}),
    now,
    fetch,
    closing: closing.signal,
    monitor: createConnectionMonitor(),
    origin: { principal: "local", name: "" },
    answerTimeouts: { editMs: 20, otherMs: 20 },
  });
  const rpc = async (method: string, params: object) =>
    await fetch(url, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
  return { standIn, channel, rpc, [Symbol.dispose]: () => closing.abort() };
}

const settings = { workspacePath: "/w", allowedTools: [], mcpServers: {} };
const promptOf = (text: string) => ({ type: "prompt", parts: partsOf(text), settings }) as const;
const partsOf = (text: string): readonly Part[] => [{ type: "text", text }];
const answerOf = (toolCallId: string, newContent?: string) => {
  const value = newContent === undefined ? undefined : { newContent };
  const modifiedDetails = value && ({ $case: "fileDetails", value } as const);
  const confirmation = { toolCallId, selectedOptionId: "proceed_once", modifiedDetails };
  return { type: "confirmation", confirmations: [confirmation] } as const;
};

type Channel = ReturnType<typeof openChannel>["channel"];

/** Reads the events of a task until one has the state `until`, or to the end. */
async function follow(channel: Channel, taskId: string, until?: SessionEvent["state"]) {
  const events: SessionEvent[] = [];
  for await (const update of channel.follow(taskId, undefined)) {
    if (update.type === "snapshot" && update.view.state === until) break;
    if (update.type === "snapshot") continue;
    events.push(update.event);
    if (update.event.state === until) break;
  }
  return events;
}

test.each([
  ["an answer with an edit", "edited"],
  ["an answer without an edit", undefined],
])("a turn is canceled and fails if the peer does not react to %s", async (_, newContent) => {
  using stage = openChannel({
    turns: [[call(writeFile("/w/a", "a"))]],
    ...(newContent === undefined ? { ignoresAnswers: true } : { hangsOnEdits: true }),
  });
  const { channel } = stage;
  const { taskId } = await channel.send(promptOf("write"), {});
  await follow(channel, taskId, "input-required");

  const answered = channel.send(answerOf("write_file-1", newContent), { taskId });

  await expect(answered).rejects.toThrow("did not react");
  const view = await channel.get(taskId);
  expect(view).toMatchObject({ state: "failed", openCalls: [] });
  expect(view.error).toContain("did not react");
  expect(stage.standIn.requests.at(-1)?.method).toBe("tasks/cancel");
  expect(stage.standIn.ran).toEqual([]);
});

test("a late answer fails the turn if the server hides the history of the task", async () => {
  using stage = openChannel({ turns: [[call(writeFile("/w/a", "a"))]], hidesHistory: true });
  const { channel } = stage;
  const { taskId } = await channel.send(promptOf("write"), {});
  await follow(channel, taskId, "input-required");
  const data = { callId: "write_file-1", outcome: "proceed_once" };
  const message = { kind: "message", role: "user", messageId: "m", taskId };
  const other = await stage.rpc("message/stream", {
    message: { ...message, parts: [{ kind: "data", data }] },
  });
  await other.text();

  await channel.send(answerOf("write_file-1"), { taskId });
  await follow(channel, taskId);

  expect(await channel.get(taskId)).toMatchObject({
    state: "failed",
    error: "the agent no longer knows the question",
  });
  expect(stage.standIn.ran).toHaveLength(1);
});

test("a prompt to a task that was canceled while idle starts another task of its session", async () => {
  using stage = openChannel({ turns: [[say("one")], [say("two")]] });
  const { channel } = stage;
  const first = await channel.send(promptOf("one"), {});
  await follow(channel, first.taskId);
  await stage.rpc("tasks/cancel", { id: first.taskId });

  const second = await channel.send({ type: "prompt", parts: partsOf("two") }, first);
  await follow(channel, second.taskId);

  expect(second.taskId).not.toBe(first.taskId);
  expect(second.contextId).toBe(first.contextId);
  expect((await channel.get(second.taskId)).items.at(-1)?.event).toMatchObject({ text: "two" });
  const metadata = { coderAgent: { kind: "agent-settings", workspacePath: "/w" } };
  expect(stage.standIn.requests.at(-1)?.params).toMatchObject({ message: { metadata } });
});

test("queued prompts of a canceled task are not sent, and a warning is logged", async () => {
  using stage = openChannel({ turns: [[{ type: "wait" }], [say("never")]] });
  const { channel } = stage;
  const { taskId } = await channel.send(promptOf("wait"), {});
  await channel.send({ type: "prompt", parts: partsOf("next") }, { taskId });

  await channel.cancel(taskId);
  const view = await channel.get(taskId);

  expect(view).toMatchObject({ state: "canceled", queue: [] });
  expect(view.items.at(-1)?.event).toMatchObject({
    kind: "CONSOLE_LOG",
    log: { type: "warn", content: expect.stringContaining("were not sent") },
  });
});

test("a prompt is refused as agent-busy if 100 prompts are queued", async () => {
  using stage = openChannel({ turns: [[{ type: "wait" }]] });
  const { channel } = stage;
  const { taskId } = await channel.send(promptOf("wait"), {});
  const queue = () => channel.send({ type: "prompt", parts: partsOf("next") }, { taskId });

  for (let index = 0; index < 100; index += 1) await queue();

  await expect(queue()).rejects.toMatchObject({ code: "agent-busy" });
});

test("an answer that cannot be sent leaves the question open", async () => {
  const standIn = createGeminiStandIn({ turns: [[call(writeFile("/w/a", "a")), say("done")]] });
  let isDown = false;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (isDown) throw new TypeError("fetch failed");
    return await standIn.handle(new Request(input, init));
  };
  const closing = new AbortController();
  const channel = createGeminiChannel({
    transport: createHttpTransport({ url, headers: {}, fetch, now }),
    url,
    headers: {},
    credentials: createCredentials({}),
    now,
    fetch,
    closing: closing.signal,
    monitor: createConnectionMonitor(),
    origin: { principal: "local", name: "" },
  });
  const { taskId } = await channel.send(promptOf("write"), {});
  await follow(channel, taskId, "input-required");
  isDown = true;
  const failed = channel.send(answerOf("write_file-1"), { taskId });
  await expect(failed).rejects.toMatchObject({ reason: "unreachable" });
  isDown = false;

  await channel.send(answerOf("write_file-1"), { taskId });
  await follow(channel, taskId);

  expect((await channel.get(taskId)).state).toBe("completed");
  expect(standIn.ran).toHaveLength(1);
  closing.abort();
});

test("an answer without a task, or to an unknown task, is refused", async () => {
  using stage = openChannel({});
  const { channel } = stage;

  const nowhere = channel.send(answerOf("x"), {});
  const unknown = channel.send(answerOf("x"), { taskId: "nope" });

  await expect(nowhere).rejects.toMatchObject({ code: "invalid-message" });
  await expect(unknown).rejects.toMatchObject({ code: "task-not-found" });
});

test("a signal aborts get() while the server is silent", async () => {
  const abort = new AbortController();
  const signals: (AbortSignal | null | undefined)[] = [];
  const silent: typeof globalThis.fetch = async (_, init) => {
    signals.push(init?.signal);
    return await new Promise<Response>((__, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      abort.abort(new Error("enough"));
    });
  };
  const channel = createGeminiChannel({
    transport: createHttpTransport({ url, headers: {}, fetch: silent, now }),
    url,
    headers: {},
    credentials: createCredentials({}),
    now,
    fetch: silent,
    closing: new AbortController().signal,
    monitor: createConnectionMonitor(),
    origin: { principal: "local", name: "" },
  });

  await expect(channel.get("task-1", abort.signal)).rejects.toThrow("enough");
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
});

test("a gemini client reports the current state of its connection", async () => {
  const standIn = createGeminiStandIn({ turns: [[say("hi")]] });
  const fetch: typeof globalThis.fetch = async (input, init) =>
    await standIn.handle(new Request(input, init));
  const client = await connect(url, { fetch, dialect: "gemini" });

  client.close();

  expect(client.connection).toEqual({ status: "closed" });
});
