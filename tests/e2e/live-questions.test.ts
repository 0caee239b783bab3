// "The guide" is the a2a-endpoint-guide, one of the five source documents (docs/documents.md).
import path from "node:path";
import { type SessionEvent, textOf } from "@dt/schema";
import { openSqliteStore } from "@dt/server";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { isIdle, openLiveStage } from "./support/open-live-stage.js";
import { parseEvents, post } from "./support/raw-rpc.js";
import { openWsClient } from "./ws-client.js";

type Stage = Awaited<ReturnType<typeof openLiveStage>>;

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
async function resultOf(response: Response): Promise<any> {
  return ((await response.json()) as { result: unknown }).result;
}

/** The result of an answer: "accepted", or the error message. */
type Outcome = "accepted" | string;

/** A client that answers questions over one transport and in one dialect. */
interface Answerer {
  /** The client name that is stored with an accepted answer. */
  readonly name: string;
  answer(toolCallId: string, optionId: string): Promise<Outcome>;
}

const data = (tool_call_id: string, selected_option_id: string) => ({
  kind: "TOOL_CALL_CONFIRMATION",
  tool_call_id,
  selected_option_id,
});
const guideAnswer = (toolCallId: string, optionId: string, id?: number) => ({
  jsonrpc: "2.0",
  ...(id !== undefined && { id }),
  method: "message/stream",
  params: { message: { content: { data: data(toolCallId, optionId) } } },
});
const named = (name: string) => ({ headers: { "X-Dt-Client": name } });

async function outcomeOf(response: Response): Promise<Outcome> {
  const text = await response.text();
  const [first] = text.includes("data:")
    ? parseEvents(text).map(({ json }) => json)
    : [JSON.parse(text)];
  return first?.error?.message ?? "accepted";
}

const answerers: Readonly<Record<string, (stage: Stage) => Promise<Answerer>>> = {
  terminal: async (stage) => ({
    name: "terminal",
    async answer(toolCallId, optionId) {
      const verdict = await stage.answer(toolCallId, optionId);
      if (verdict.accepted) return "accepted";
      if (verdict.reason === "unknown") return "unknown";
      return `already answered by ${verdict.answeredBy.name} with ${verdict.selectedOptionId}`;
    },
  }),
  "guide socket": async (stage) => {
    const socket = await openWsClient(stage.wsUrl, { protocol: "", ...named("phone") });
    return {
      name: "phone",
      async answer(toolCallId, optionId) {
        socket.send(guideAnswer(toolCallId, optionId, 9));
        const frame = await socket.until((candidate) => candidate.id === 9);
        return frame.error?.message ?? "accepted";
      },
    };
  },
  "guide HTTP": async (stage) => ({
    name: "script",
    async answer(toolCallId, optionId) {
      const url = `${stage.url}tasks/${stage.live.taskId}/messages/stream`;
      const headers = { "Content-Type": "application/json", "X-Dt-Client": "script" };
      const body = JSON.stringify(guideAnswer(toolCallId, optionId));
      return await outcomeOf(await fetch(url, { method: "POST", headers, body }));
    },
  }),
  "A2A SSE": async (stage) => ({
    name: "ide",
    async answer(toolCallId, optionId) {
      const parts = [{ kind: "data", data: data(toolCallId, optionId) }];
      const { taskId } = stage.live;
      const message = { kind: "message", role: "user", messageId: "ide-1", taskId, parts };
      const sent = await post(stage.url, "message/stream", { message }, { "X-Dt-Client": "ide" });
      return await outcomeOf(sent);
    },
  }),
  "A2A socket": async (stage) => {
    const socket = await openWsClient(stage.wsUrl, named("browser"));
    return {
      name: "browser",
      async answer(toolCallId, optionId) {
        const { taskId } = stage.live;
        const parts = [{ data: data(toolCallId, optionId) }];
        const message = { role: "ROLE_USER", messageId: "browser-1", taskId, parts };
        socket.send({ jsonrpc: "2.0", id: 9, method: "SendMessage", params: { message } });
        const frame = await socket.until((candidate) => candidate.id === 9);
        return frame.error?.message ?? "accepted";
      },
    };
  },
};

const pairs = Object.keys(answerers).flatMap((first) =>
  Object.keys(answerers).flatMap((second) => (first === second ? [] : [[first, second] as const])),
);

async function openBoth(stage: Stage, first: string, second: string) {
  const [winner, loser] = await Promise.all([
    answerers[first]?.(stage),
    answerers[second]?.(stage),
  ]);
  if (winner === undefined || loser === undefined)
    throw new Error("`answerers` has no client of that name");
  return { winner, loser };
}

test.each(pairs)(
  "the first answer (%s) wins, and the second answer (%s) is refused with the winner's name [CLI-13, CLI-14]",
  async (first, second) => {
    await using stage = await openLiveStage();
    using watcher = await openWsClient(stage.wsUrl, { protocol: "" });
    const { winner, loser } = await openBoth(stage, first, second);
    await stage.type("write a.txt: hi");
    const toolCallId = await stage.question();
    await watcher.until((frame) => frame.status === "PENDING");

    const won = await winner.answer(toolCallId, "proceed_once");
    const lost = await loser.answer(toolCallId, "cancel");
    const settled = await stage.until((event) => "answer" in event && event.answer !== undefined);
    await stage.until((event) => isIdle(event), settled.cursor);

    expect(won).toBe("accepted");
    expect(lost).toContain(`already answered by ${winner.name} with proceed_once`);
    expect(settled).toMatchObject({
      toolCall: { status: "EXECUTING" },
      answer: { selectedOptionId: "proceed_once", origin: { name: winner.name } },
    });
    await watcher.until((frame) => frame.status === "SUCCEEDED");
    const statuses = watcher.frames.flatMap(({ status }) => (status === undefined ? [] : [status]));
    expect(statuses).toEqual(["PENDING", "EXECUTING", "SUCCEEDED"]);
    expect(await stage.workspace.read("a.txt")).toBe("hi");
    expect(stage.faults).toEqual([]);
  },
);

test("one of five simultaneous answers is accepted, and the other clients learn who sent that answer [CLI-13, CLI-14]", async () => {
  await using stage = await openLiveStage();
  const all = await Promise.all(Object.values(answerers).map((open) => open(stage)));
  await stage.type("write a.txt: hi");
  const toolCallId = await stage.question();

  const outcomes = await Promise.all(
    all.map(async (one, index) => ({
      one,
      outcome: await one.answer(toolCallId, index % 2 === 0 ? "proceed_once" : "cancel"),
    })),
  );

  const winners = outcomes.filter(({ outcome }) => outcome === "accepted");
  expect(winners).toHaveLength(1);
  for (const { outcome, one } of outcomes) {
    if (one === winners[0]?.one) continue;
    expect(outcome).toContain(`already answered by ${winners[0]?.one.name}`);
  }
});

test("an answer to an unknown call or with an unknown option is refused", async () => {
  await using stage = await openLiveStage();
  using socket = await openWsClient(stage.wsUrl, { protocol: "" });
  await stage.type("write a.txt: hi");
  const toolCallId = await stage.question();

  socket.send(guideAnswer("nope", "proceed_once", 1));
  socket.send(guideAnswer(toolCallId, "maybe", 2));

  const [unknown, noOption] = await Promise.all(
    [1, 2].map((id) => socket.until((frame) => frame.id === id)),
  );
  expect(unknown.error).toMatchObject({ code: -32052 });
  expect(noOption.error.message).toContain("there is no option maybe");
  expect((await stage.live.view()).openCalls).toHaveLength(1);
});

test.each(["file_details", "file_edit_details"])(
  "an answer in the guide dialect can edit the file through the field %s [CLI-12]",
  async (name) => {
    await using stage = await openLiveStage();
    using socket = await openWsClient(stage.wsUrl, { protocol: "" });
    socket.send({
      jsonrpc: "2.0",
      method: "message/stream",
      params: { message: { content: { text: "write a.txt: draft" } } },
    });
    const { tool_call_id } = await socket.until((frame) => frame.status === "PENDING");

    socket.send({
      jsonrpc: "2.0",
      method: "message/stream",
      params: {
        message: {
          content: {
            data: {
              ...data(tool_call_id, "proceed_once"),
              modified_details: { [name]: { new_content: "final" } },
            },
          },
        },
      },
    });
    await socket.until((frame) => frame.status === "SUCCEEDED");

    expect(await stage.workspace.read("a.txt")).toBe("final");
  },
);

test.each([
  ["modified_details.new_content", { modified_details: { new_content: "final" } }],
  ["data.new_content", { new_content: "final" }],
  ["data.file_edit_details", { file_edit_details: { new_content: "final" } }],
])("an edit in the unknown field %s is refused, and nothing is written", async (path, edit) => {
  await using stage = await openLiveStage();
  using socket = await openWsClient(stage.wsUrl, { protocol: "" });
  const send = (content: object, id?: number) =>
    socket.send({
      jsonrpc: "2.0",
      ...(id !== undefined && { id }),
      method: "message/stream",
      params: { message: { content } },
    });
  send({ text: "write a.txt: draft" });
  const { tool_call_id } = await socket.until((frame) => frame.status === "PENDING");

  send({ data: { ...data(tool_call_id, "proceed_once"), ...edit } }, 7);
  const { error } = await socket.until((frame) => frame.id === 7);

  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(path) });
  expect((await stage.live.view()).openCalls).toHaveLength(1);
});

test("a client that connects later gets the history and the open question [CLI-17]", async () => {
  await using stage = await openLiveStage();
  await stage.type("say before");
  await stage.until((event) => event.kind === "TEXT_CONTENT" && event.text === "before");
  await stage.type("write a.txt: hi");
  const toolCallId = await stage.question();

  using guide = await openWsClient(stage.wsUrl, { protocol: "" });
  using canonical = await openWsClient(stage.wsUrl);
  const asked = await guide.until((frame) => frame.status === "PENDING");
  const { params } = await canonical.until((frame) => frame.params?.task);
  const got = await resultOf(await post(stage.url, "tasks/get", { id: stage.live.taskId }));

  expect(guide.frames.map((frame) => frame.content?.text ?? frame.status)).toEqual([
    "say before",
    "before",
    "write a.txt: hi",
    "PENDING",
  ]);
  expect(asked.tool_call_id).toBe(toolCallId);
  expect(JSON.stringify(params.task.status)).toContain(toolCallId);
  expect(JSON.stringify(got.status)).toContain("proceed_once");
});

test("a client that connects later gets the question of a concurrent command [CLI-17]", async () => {
  await using stage = await openLiveStage();
  const executed = await resultOf(
    await post(stage.url, "command/execute", { command_path: ["shell"], args: "echo hello" }),
  );
  const toolCallId = await stage.question();
  // The client must get the question although newer events follow in the log of the open task.
  await stage.type("say later");
  await stage.until((event) => event.kind === "QUEUE");

  using late = await openWsClient(stage.wsUrl, { protocol: "" });
  const asked = await late.until((frame) => frame.tool_call_id === toolCallId);
  late.send(guideAnswer(toolCallId, "cancel", 1));

  expect(asked).toMatchObject({ status: "PENDING", taskId: executed.execution_id });
  expect((await late.until((frame) => frame.id === 1)).result).toBeDefined();
  await late.until((frame) => frame.content?.text === "later");
});

test('an "always" answer applies to later calls of the same client, not of other clients [CLI-18]', async () => {
  await using stage = await openLiveStage();
  using socket = await openWsClient(stage.wsUrl, { protocol: "" });
  const ask = (text: string) =>
    socket.send({
      jsonrpc: "2.0",
      method: "message/stream",
      params: { message: { content: { text } } },
    });
  const isWritten = (file: string) => (event: SessionEvent) =>
    event.kind === "TOOL_CALL_UPDATE" &&
    event.toolCall.status === "SUCCEEDED" &&
    JSON.stringify(event.toolCall.inputParameters).includes(file);

  ask("write a.txt: 1 then write b.txt: 2");
  socket.send(guideAnswer(await stage.question(), "proceed_always"));
  await stage.until(isWritten("b.txt"));
  ask("write c.txt: 3");
  const last = await stage.until(isWritten("c.txt"));
  await stage.type("write d.txt: 4");
  const asked = await stage.question(last.cursor);

  expect(asked).not.toBe("");
  const { items } = await stage.live.view();
  const questions = items.filter(
    ({ event }) => event.kind === "TOOL_CALL_UPDATE" && event.answer !== undefined,
  );
  expect(questions).toHaveLength(1);
});

test("auto_execute in one message does not apply to the next message [CLI-18]", async () => {
  await using stage = await openLiveStage();
  const uri =
    "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";
  const send = async (messageId: string, text: string, settings?: object) =>
    await resultOf(
      await post(stage.url, "message/send", {
        message: {
          kind: "message",
          role: "user",
          messageId,
          parts: [{ kind: "text", text }],
          metadata: { [uri]: settings ?? {} },
          extensions: [uri],
        },
      }),
    );

  const free = await send("m1", "write a.txt: 1", {
    workspace_path: stage.workspace.root,
    auto_execute: true,
  });
  const asked = await send("m2", "write b.txt: 2");

  expect(free.status.state).toBe("input-required");
  expect(free.status.message?.parts ?? []).not.toContainEqual(
    expect.objectContaining({ kind: "data" }),
  );
  expect(await stage.workspace.read("a.txt")).toBe("1");
  expect(asked.status.message.parts[0].data.status).toBe("PENDING");
});

test("in a live session in yolo mode, the prompt of a client leads to no question [CLI-18]", async () => {
  await using stage = await openLiveStage({ mode: "yolo" });
  const url = `${stage.url}tasks/${stage.live.taskId}/messages`;
  const body = JSON.stringify({ message: { content: { text: "write a.txt: 1" } } });

  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
  });

  expect(await response.json()).toMatchObject({ result: { state: "input-required" } });
  expect(await stage.workspace.read("a.txt")).toBe("1");
});

test("a question can be answered after its terminal exited and the session was resumed [LOG-03, CLI-17]", async () => {
  await using data = await openDataDir();
  const file = path.join(data.directory, "live.db");
  await using stage = await openLiveStage({
    openStore: () => openSqliteStore({ file, isShared: true }),
  });
  await stage.type("write a.txt: hi then say done");
  const toolCallId = await stage.question();

  await stage.resume();
  using socket = await openWsClient(stage.wsUrl, { protocol: "" });
  await socket.until((frame) => frame.tool_call_id === toolCallId);
  socket.send(guideAnswer(toolCallId, "proceed_once"));
  await socket.until((frame) => frame.content?.text === "done" && !frame.role);

  expect(await stage.workspace.read("a.txt")).toBe("hi");
  const prompts = (await stage.live.view()).items.flatMap(({ event }) =>
    event.kind === "USER_PROMPT" ? [textOf(event.parts)] : [],
  );
  expect(prompts).toEqual(["write a.txt: hi then say done"]);
  expect(stage.faults).toEqual([]);
});
