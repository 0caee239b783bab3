import { connect, isQuestion } from "@dt/client";
import { buildQuestion } from "@dt/schema/testing";
import { createScriptedAgent, openTestServer, TERMINAL } from "@dt/server/testing";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { openWsClient } from "./ws-client.js";

const guidePrompt = (text: string, id?: number) => ({
  jsonrpc: "2.0",
  ...(id !== undefined && { id }),
  method: "message/stream",
  params: { message: { content: { text } } },
});
const guideAnswer = (selected_option_id: string, id?: number) => ({
  jsonrpc: "2.0",
  ...(id !== undefined && { id }),
  method: "message/stream",
  params: {
    message: {
      content: {
        data: { kind: "TOOL_CALL_CONFIRMATION", tool_call_id: "call-1", selected_option_id },
      },
    },
  },
});

/** Opens a live session with an endpoint. */
async function openLive() {
  const server = await openTestServer({
    isLive: true,
    openAgent: createScriptedAgent(async (turn) => {
      if (turn.text === "ask") await turn.ask(buildQuestion());
      await turn.say(`echo ${turn.text}`);
      return "input-required";
    }),
  });
  /** Sends a prompt from the terminal. */
  const type = async (text: string) =>
    await server.live!.host.agent.prompt(
      { messageId: text, taskId: "live", parts: [{ type: "text", text }] },
      TERMINAL,
    );
  return { server, type, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const isEcho = (text: string) => (frame: { content?: { text?: string } }) =>
  frame.content?.text === `echo ${text}`;

test("every socket receives the events of the prompts of all clients [CLI-05, CLI-08, CLI-10, CLI-16]", async () => {
  await using stage = await openLive();
  const { server } = stage;
  using first = await openWsClient(server.wsUrl, { protocol: "" });
  using second = await openWsClient(server.wsUrl, { protocol: "" });
  using third = await openWsClient(server.wsUrl);

  await stage.type("typed");
  await first.until(isEcho("typed"));
  first.send(guidePrompt("sent"));
  await first.until(isEcho("sent"));
  await second.until(isEcho("sent"));
  third.send({
    jsonrpc: "2.0",
    id: 1,
    method: "SendMessage",
    params: { message: { role: "ROLE_USER", messageId: "m", parts: [{ text: "called" }] } },
  });
  const called = await third.until((frame) => frame.id === 1);
  await first.until(isEcho("called"));
  await second.until(isEcho("called"));

  const texts = ["typed", "sent", "called"].flatMap((text) => [
    {
      kind: "TEXT_CONTENT",
      content: { text },
      role: "user",
      origin: text === "typed" ? "terminal" : "local",
      taskId: "live",
    },
    { kind: "TEXT_CONTENT", content: { text: `echo ${text}` }, taskId: "live" },
  ]);
  expect(first.frames).toEqual(texts);
  expect(second.frames).toEqual(texts);
  expect(called.result.task).toMatchObject({ id: "live", contextId: "live" });
  const updates = third.frames.filter((frame) => frame.params?.statusUpdate);
  expect(updates.every((frame) => frame.method === "event" && frame.cursor !== undefined)).toBe(
    true,
  );
  expect(updates.map(({ params }) => params.statusUpdate.status.message?.parts[0].text)).toEqual(
    expect.arrayContaining(["typed", "echo typed", "sent", "echo sent", "called"]),
  );
  expect(server.faults).toEqual([]);
});

test("a socket that connects later gets the history and the open question [CLI-11, CLI-17]", async () => {
  await using stage = await openLive();
  const { server } = stage;
  using early = await openWsClient(server.wsUrl, { protocol: "" });
  await stage.type("hello");
  await early.until(isEcho("hello"));
  await stage.type("ask");
  await early.until((frame) => frame.status === "PENDING");

  using late = await openWsClient(server.wsUrl, { protocol: "" });
  using caller = await openWsClient(server.wsUrl);
  const question = await late.until((frame) => frame.status === "PENDING");
  const { params: snapshot } = await caller.until((frame) => frame.params?.task);

  expect(late.frames).toEqual(early.frames);
  expect(question).toMatchObject({
    kind: "TOOL_CALL_UPDATE",
    tool_call_id: "call-1",
    confirmation_request: {
      options: [{ id: "proceed_once" }, { id: "proceed_always" }, { id: "cancel" }],
      details: { file_edit_details: { file_path: "/work/hello.txt" } },
    },
    taskId: "live",
  });
  expect(snapshot.task.history).toHaveLength(4);
  expect(snapshot.task.status.message.parts[0].data.tool_call_id).toBe("call-1");
});

test("the first answer is accepted, and a later answer is refused with the first client's name [CLI-12, CLI-13, CLI-14]", async () => {
  await using stage = await openLive();
  const { server } = stage;
  const options = (name: string) => ({ protocol: "", headers: { "X-Dt-Client": name } });
  using phone = await openWsClient(server.wsUrl, options("phone"));
  using ide = await openWsClient(server.wsUrl, options("ide"));
  await stage.type("ask");
  await phone.until((frame) => frame.status === "PENDING");
  await ide.until((frame) => frame.status === "PENDING");

  phone.send(guideAnswer("proceed_once", 1));
  const won = await phone.until((frame) => frame.id === 1);
  ide.send(guideAnswer("cancel"));
  const lost = await ide.until((frame) => frame.error);
  const executing = await ide.until((frame) => frame.status === "EXECUTING");

  expect(won).toEqual({ jsonrpc: "2.0", id: 1, result: { taskId: "live" } });
  expect(lost).toMatchObject({
    jsonrpc: "2.0",
    id: null,
    error: {
      code: -32050,
      message: expect.stringContaining("already answered by phone with proceed_once"),
    },
  });
  expect(executing.confirmation_request).toBeUndefined();
  expect(await phone.until((frame) => frame.status === "EXECUTING")).toEqual(executing);
});

test("a socket that reconnects with a cursor gets exactly the events after that cursor [LOG-02]", async () => {
  await using stage = await openLive();
  const { server } = stage;
  const before = await openWsClient(server.wsUrl);
  await stage.type("one");
  const isIdleFrame = (frame: { params?: { statusUpdate?: { status: { state: string } } } }) =>
    frame.params?.statusUpdate?.status.state === "TASK_STATE_INPUT_REQUIRED";
  const { cursor } = await before.until(isIdleFrame);
  before.ws.terminate();
  await before.closed;
  await stage.type("two");

  using after = await openWsClient(`${server.wsUrl}?after=${cursor}`);
  await after.until(isIdleFrame);

  const kinds = after.frames.map(
    ({ params }) => Object.values(params.statusUpdate.metadata).at(-1) as { kind?: string },
  );
  expect(after.frames.every(({ params }) => params.task === undefined)).toBe(true);
  expect(kinds[0]?.kind).toBe("USER_PROMPT");
  expect(new Set(after.frames.map((frame) => frame.cursor)).size).toBe(after.frames.length);
});

test("a message with another workspace than that of the live session is refused", async () => {
  await using stage = await openLive();
  using client = await openWsClient(stage.server.wsUrl);
  const uri =
    "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";

  client.send({
    jsonrpc: "2.0",
    id: 1,
    method: "SendMessage",
    params: {
      message: {
        role: "ROLE_USER",
        messageId: "m",
        parts: [{ text: "hi" }],
        metadata: { [uri]: { workspace_path: "/" } },
      },
    },
  });

  expect((await client.until((frame) => frame.id === 1)).error.code).toBe(-32053);
});

test("a socket with events=asked gets no broadcasts, and @dt/client gets all turns [CLI-09, CLI-16]", async () => {
  await using stage = await openLive();
  const { server } = stage;
  using quiet = await openWsClient(`${server.wsUrl}?events=asked`);
  const client = await connect(server.url, { transport: "websocket", WebSocket });
  const earlier = await client.startTask({ prompt: "before" });
  for await (const _ of earlier.events());
  // No turn runs when the client opens the task, so the loop below gets only turns that start afterwards.
  const task = await client.openTask("live");
  const seen: string[] = [];
  await stage.type("ask");

  for await (const event of task.events()) {
    if (event.kind === "TEXT_CONTENT") seen.push(event.text);
    if (isQuestion(event)) await task.answer(event.toolCall, "proceed_once");
    if (event.kind !== "STATE_CHANGE" || event.state !== "input-required" || event.waiting)
      continue;
    if (seen.length === 2) break;
    // A prompt to a live session needs no workspace.
    await client.startTask({ prompt: "hello" });
  }
  quiet.send({ jsonrpc: "2.0", id: 1, method: "$/ping" });
  const pong = await quiet.until((frame) => frame.id === 1);
  client.close();

  expect(seen).toEqual(["echo ask", "echo hello"]);
  expect(quiet.frames).toEqual([pong]);
  expect(pong).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
});
