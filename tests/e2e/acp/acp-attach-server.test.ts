// An editor uses the sessions of a real dt-server that wants a token.
import path from "node:path";
import process from "node:process";
import {
  type InitializeResponse,
  methods,
  type NewSessionResponse,
} from "@agentclientprotocol/sdk";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { afterAll, expect, test } from "vitest";
import { createToken } from "../support/create-token.js";
import { startServerProcess } from "../support/server-process.js";
import {
  choose,
  type EditorOptions,
  openEditor,
  type TestEditor,
  textOfUpdate,
} from "./open-editor.js";

const { session } = methods.agent;
const workspace = await openTempWorkspace();
const home = await openTempWorkspace();
const dataDirectory = path.join(home.root, "server");
const server = await startServerProcess({
  DT_DATA_DIR: dataDirectory,
  DT_WORKSPACE_ROOTS: workspace.root,
  CODER_AGENT_PORT: "0",
  DT_AUTH: "required",
});
const token = await createToken(dataDirectory);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await workspace[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

function attach(options: Pick<EditorOptions, "answer"> & { readonly contextId?: string } = {}) {
  const { contextId, answer } = options;
  return openEditor({
    home: home.root,
    args: ["--attach", server.url, ...(contextId === undefined ? [] : [contextId])],
    environment: { DT_TOKEN: token },
    ...(answer !== undefined && { answer }),
  });
}

test("an editor starts, lists and loads sessions of a dt-server, with its token [ACP-01, ACP-02]", async () => {
  await using first = await attach({ answer: choose("allow_once") });
  const sessionId = await first.open(workspace.root);
  const reason = await first.prompt(sessionId, "write a.txt: from the server then say done");
  await first.prompt(sessionId, "/stats");
  await using second = await attach({ contextId: sessionId });
  const joined = await second.open(workspace.root);
  const load = { sessionId, cwd: workspace.root, mcpServers: [] };
  await second.agent.request(session.load, load);
  const { sessions } = await second.agent.request(session.list, {});

  expect({ reason, joined }).toEqual({ reason: "end_turn", joined: sessionId });
  expect(await workspace.read("a.txt")).toBe("from the server");
  expect(second.said()).toContain("done");
  expect(sessions).toEqual([
    {
      sessionId,
      cwd: process.cwd(),
      title: "write a.txt: from the server then say done",
      updatedAt: expect.any(String),
    },
  ]);
});

test("a session of a dt-server opens with its mode and model, and cannot be deleted [ACP-02]", async () => {
  await using editor = await attach();
  const initialized = await editor.agent.request<InitializeResponse>(methods.agent.initialize, {
    protocolVersion: 1,
  });
  const request = { cwd: workspace.root, mcpServers: [] };
  const { sessionId } = await editor.agent.request<NewSessionResponse>(session.new, request);
  await editor.agent.request(session.close, { sessionId });

  const opened = await editor.agent.request<NewSessionResponse>(session.resume, {
    sessionId,
    ...request,
  });

  expect(initialized.agentCapabilities?.sessionCapabilities).not.toHaveProperty("delete");
  await expect(editor.agent.request(session.delete, { sessionId })).rejects.toMatchObject({
    code: -32601,
  });
  expect(opened).toMatchObject({
    modes: { currentModeId: "default" },
    configOptions: [
      { id: "mode", currentValue: "default" },
      { id: "model", currentValue: "offline" },
    ],
  });
});

test("an editor gets the prompts of another editor with the same token, but not its own prompts [ACP-02]", async () => {
  await using first = await attach();
  const sessionId = await first.open(workspace.root);
  await using second = await attach({ contextId: sessionId });
  await second.open(workspace.root);
  const showsPrompt = ({ updates }: TestEditor) =>
    updates.some(
      (update) =>
        update.sessionUpdate === "user_message_chunk" &&
        JSON.stringify(update).includes("say from the first"),
    );

  await first.prompt(sessionId, "say from the first");
  await second.update((update) => textOfUpdate(update) === "from the first");

  expect([showsPrompt(first), showsPrompt(second)]).toEqual([false, true]);
});

test("a question of a killed editor is asked again in the next editor, and its tool runs once [ACP-02]", async () => {
  const killed = await attach();
  const sessionId = await killed.open(workspace.root);
  const lost = killed.prompt(sessionId, "run echo ran >> ran.txt then say done").catch(() => {});
  const before = await killed.asked();
  await killed.kill();
  await lost;

  await using editor = await attach({ answer: choose("allow_once") });
  const load = { sessionId, cwd: workspace.root, mcpServers: [] };
  await editor.agent.request(session.load, load);
  const again = await editor.asked();
  await editor.update((update) => JSON.stringify(update).includes('"done"'));

  expect(again.toolCall.toolCallId).toBe(before.toolCall.toolCallId);
  expect(await workspace.read("ran.txt")).toBe("ran\n");
});

test("an open question is asked again in a session with earlier prompts, even those of closed editors [ACP-02]", async () => {
  const earlier = await attach();
  const sessionId = await earlier.open(workspace.root);
  await earlier.prompt(sessionId, "say one");
  await earlier.close();
  const load = { sessionId, cwd: workspace.root, mcpServers: [] };
  const killed = await attach();
  await killed.agent.request(session.load, load);
  const lost = killed.prompt(sessionId, "run echo ran >> again.txt then say done").catch(() => {});
  const before = await killed.asked();
  await killed.kill();
  await lost;

  await using editor = await attach({ answer: choose("allow_once") });
  await editor.agent.request(session.load, load);
  const again = await editor.asked();
  await editor.update((update) => textOfUpdate(update) === "done");

  expect(again.toolCall.toolCallId).toBe(before.toolCall.toolCallId);
  expect(editor.questions).toHaveLength(1);
  expect(await workspace.read("again.txt")).toBe("ran\n");
});

test("a session whose id is unknown is not found, and no session opens without a token [ACP-02]", async () => {
  await using editor = await attach();
  const load = { sessionId: "unknown", cwd: workspace.root, mcpServers: [] };
  await using stranger = await openEditor({ home: home.root, args: ["--attach", server.url] });

  await expect(editor.agent.request(session.load, load)).rejects.toMatchObject({ code: -32002 });
  await expect(stranger.open(workspace.root)).rejects.toMatchObject({
    code: -32000,
    message: `${server.url} requires a valid token; set DT_TOKEN to one`,
  });
});
