import { randomUUID } from "node:crypto";
import path from "node:path";
import { connect, type TaskHandle } from "@dt/client";
import { DEVELOPMENT_TOOL_URI, isTerminalState, openQuestions } from "@dt/schema";
import { openSqliteStore } from "@dt/server";
import { expect, test } from "vitest";
import WebSocket from "ws";
import { openDataDir } from "./support/data-dir.js";
import { isIdle, openLiveStage, TERMINAL } from "./support/open-live-stage.js";
import { post } from "./support/raw-rpc.js";
import { openWsClient } from "./ws-client.js";

type Stage = Awaited<ReturnType<typeof openLiveStage>>;

const YOLO = { command_path: ["mode"], args: "yolo" };

/** Sends a prompt that writes a file. Returns "written", or cancels the question and returns "asked". */
async function promptOverHttp(stage: Stage, headers: Record<string, string> = {}) {
  const messageId = randomUUID();
  const message = {
    kind: "message",
    messageId,
    role: "user",
    parts: [{ kind: "text", text: `write ${messageId}.txt: hi` }],
  };
  const extensions = { "X-A2A-Extensions": DEVELOPMENT_TOOL_URI };
  await post(stage.url, "message/send", { message }, { ...extensions, ...headers });
  const isWritten = await stage.workspace.read(`${messageId}.txt`).then(
    () => true,
    () => false,
  );
  if (isWritten) return "written";
  const [question] = openQuestions(await stage.live.view());
  await stage.answer(question?.toolCallId ?? "", "cancel");
  await stage.until(isIdle, (await stage.live.view()).cursor);
  return "asked";
}

async function setMode(stage: Stage, headers: Record<string, string> = {}) {
  const response = await post(stage.url, "command/execute", YOLO, headers);
  const { result } = (await response.json()) as { result: { status: string; message: string } };
  return result;
}

/** Runs `/mode` to its end, so that all commands that were sent earlier have ended too. */
async function untilIdle(stage: Stage): Promise<void> {
  const { ticket } = await stage.live.agent.runCommand(
    { messageId: randomUUID(), taskId: randomUUID(), path: ["mode"], args: "" },
    TERMINAL,
  );
  await stage.until((event) => event.taskId === ticket?.taskId && isTerminalState(event.state));
}

test("a request without a client id cannot set a mode, and the error suggests a fix [SEC-10]", async () => {
  await using stage = await openLiveStage();

  const refused = await setMode(stage);

  expect(refused).toMatchObject({
    status: "FAILED_TO_START",
    message: expect.stringContaining("use a WebSocket, or send a random id in the header"),
  });
  expect(await promptOverHttp(stage)).toBe("asked");
});

test("a mode applies only to requests with the client id that set it [SEC-10]", async () => {
  await using stage = await openLiveStage();
  const own = { "X-DT-Client-Id": randomUUID() };

  await setMode(stage, own);
  await untilIdle(stage);

  expect(await promptOverHttp(stage, own)).toBe("written");
  expect(await promptOverHttp(stage)).toBe("asked");
  expect(await promptOverHttp(stage, { "X-DT-Client-Id": randomUUID() })).toBe("asked");
});

test("the mode of a client ends when the client sends client/end [SEC-10]", async () => {
  await using stage = await openLiveStage();
  const own = { "X-DT-Client-Id": randomUUID() };
  await setMode(stage, own);
  await untilIdle(stage);

  await post(stage.url, "client/end", {}, own);

  expect(await promptOverHttp(stage, own)).toBe("asked");
});

test("the mode of a client ends when the terminal's session is resumed [SEC-10]", async () => {
  await using data = await openDataDir();
  const openStore = () => openSqliteStore({ file: path.join(data.directory, "dt.db") });
  await using stage = await openLiveStage({ openStore });
  const own = { "X-DT-Client-Id": randomUUID() };
  await setMode(stage, own);
  await untilIdle(stage);
  // This prompt also stores the session, because a session without a prompt is not stored.
  expect(await promptOverHttp(stage, own)).toBe("written");

  await stage.resume();

  expect(await promptOverHttp(stage, own)).toBe("asked");
});

test("a terminal's yolo mode also applies to requests without a client id [CLI-18]", async () => {
  await using stage = await openLiveStage({ mode: "yolo" });

  expect(await promptOverHttp(stage)).toBe("written");
});

test("a mode that was set over a socket ends with the socket, even for queued prompts [SEC-10]", async () => {
  await using stage = await openLiveStage();
  const extensions = encodeURIComponent(DEVELOPMENT_TOOL_URI);
  const socket = await openWsClient(`${stage.wsUrl}?A2A-Extensions=${extensions}`);
  socket.send({ jsonrpc: "2.0", id: 1, method: "command/execute", params: YOLO });
  await socket.stream(1);
  await stage.type("write typed.txt: hi");
  const first = await stage.question();
  const parts = [{ kind: "text", text: "write left.txt: hi" }];
  const message = { kind: "message", messageId: "left", role: "user", parts };
  socket.send({ jsonrpc: "2.0", id: 2, method: "message/stream", params: { message } });
  await stage.until((event) => event.kind === "QUEUE" && event.prompts.length === 1);

  socket.ws.close();
  await socket.closed;
  // The server notices the close of the first socket before it accepts this one.
  const other = await openWsClient(stage.wsUrl);
  const { cursor } = await stage.live.view();
  await stage.answer(first, "cancel");
  const asked = await stage.question(cursor);

  expect(asked).not.toBe(first);
  await expect(stage.workspace.read("left.txt")).rejects.toThrow("ENOENT");
  other.ws.close();
});

test.each(["sse", "websocket"] as const)(
  "a mode that @dt/client sets over %s applies only to that client [SEC-10]",
  async (transport) => {
    await using stage = await openLiveStage();
    const options = transport === "sse" ? { transport } : { transport, WebSocket };
    const client = await connect(stage.url, { ...options, clientName: "phone" });
    const other = await connect(stage.url, { ...options, clientName: "laptop" });
    const run = await client.run(["mode"], "yolo");
    for await (const _ of run.task?.events() ?? []);

    const modeOf = async (task: TaskHandle) => (await task.presence())?.mode;
    const [own, others] = await Promise.all([
      client.openTask(stage.live.taskId),
      other.openTask(stage.live.taskId),
    ]);

    expect([await modeOf(own), await modeOf(others)]).toEqual(["yolo", "default"]);
    client.close();
    other.close();
  },
);

test("a client id of fewer than 22 characters is refused", async () => {
  await using stage = await openLiveStage();

  const response = await post(stage.url, "command/execute", YOLO, { "X-DT-Client-Id": "phone" });

  expect(await response.json()).toMatchObject({
    error: { message: expect.stringContaining("X-DT-Client-Id: expected 22 to 128 random") },
  });
});

test("/trust of a client is refused as a command and has no effect as a prompt [SEC-08]", async () => {
  await using stage = await openLiveStage();
  const own = { "X-DT-Client-Id": randomUUID() };

  const response = await post(stage.url, "command/execute", { command_path: ["trust"] }, own);
  const parts = [{ kind: "text", text: "/trust" }];
  const message = { kind: "message", messageId: "1", role: "user", parts };
  await post(stage.url, "message/send", { message }, own);

  expect(await response.json()).toMatchObject({
    result: {
      status: "FAILED_TO_START",
      message: expect.stringContaining("only the person at the host's own terminal"),
    },
  });
  expect(await stage.trusted()).toEqual([]);
});

test("a client can run /permissions with command/execute", async () => {
  await using stage = await openLiveStage();
  const params = { command_path: ["permissions"] };

  const response = await post(stage.url, "command/execute", params, {
    Accept: "text/event-stream",
    "X-A2A-Extensions": DEVELOPMENT_TOOL_URI,
  });

  expect(await response.text()).toContain("no answer is remembered");
});
