import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { DEVELOPMENT_TOOL_URI, parseMessage } from "@dt/schema";
import { expect, test } from "vitest";
import { post, readStream } from "./support/raw-rpc.js";
import { startServerProcess } from "./support/server-process.js";
import { openWsClient } from "./ws-client.js";

/** Starts a real dt-server without any model key. */
async function openSetup(variables: Record<string, string> = {}) {
  const workspace = await openTempWorkspace();
  const server = await startServerProcess({
    DT_DATA_DIR: path.join(workspace.root, "data"),
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
    ...variables,
  });
  return {
    server,
    root: workspace.root,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const FAULTS = [
  [
    { mcp_servers: { foo: { url: "ftp://x" } } },
    "mcp_servers.foo.url",
    "must be an http or https address",
  ],
  [
    { mcp_servers: { foo: { command: "x", url: "http://x" } } },
    "mcp_servers.foo",
    "needs exactly one of command and url",
  ],
  [{ model: "gpt-5" }, "model", "gpt-5 is not a Gemini model; write openai:gpt-5"],
  [{ workspace_path: "here" }, "workspace_path", "expected an absolute path, got here"],
] as const;

const prompt = (settings: object) => ({
  message: {
    kind: "message",
    role: "user",
    messageId: randomUUID(),
    parts: [{ kind: "text", text: "say hi" }],
    metadata: { [DEVELOPMENT_TOOL_URI]: settings },
  },
});

const prompt10 = (settings: object) => ({
  message: {
    role: "ROLE_USER",
    messageId: randomUUID(),
    parts: [{ text: "say hi" }],
    metadata: { [DEVELOPMENT_TOOL_URI]: settings },
  },
});

test.each(FAULTS)(
  "the wrong client settings %j are refused with the path of the field [RFC-25]",
  async (wrong, field, problem) => {
    await using setup = await openSetup();
    const { url } = setup.server;
    const settings = { workspace_path: setup.root, ...wrong };
    const error = {
      code: -32602,
      message: `${field}: ${problem}`,
      data: { path: field, reason: "invalid-message" },
    };
    const version = { "A2A-Version": "1.0" };

    const sent = await post(url, "message/send", prompt(settings));
    const streamed = await readStream(await post(url, "message/stream", prompt(settings)));
    const sent10 = await post(url, "SendMessage", prompt10(settings), version);
    const rest = await fetch(`${url}v1/message:send`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...version },
      body: JSON.stringify(prompt10(settings)),
    });
    const client = await connect(url);
    const { workspacePath, ...others } = parseMessage("AgentSettings", settings);
    const started = client.startTask({ prompt: "say hi", workspacePath, settings: others });

    expect(await sent.json()).toMatchObject({ error });
    expect(streamed.map(({ json }) => json)).toMatchObject([{ error }]);
    expect(await sent10.json()).toMatchObject({
      error: { ...error, data: [{}, { fieldViolations: [{ field }] }, { value: error.data }] },
    });
    expect(rest.status).toBe(400);
    expect(await rest.json()).toMatchObject({
      error: { message: error.message, details: [{ metadata: { path: field } }, {}, {}] },
    });
    await expect(started).rejects.toMatchObject({
      name: "ProtocolError",
      code: "invalid-message",
      message: error.message,
      data: { path: field },
    });
    client.close();
  },
);

test("wrong client settings over a WebSocket are refused with the path of the field [RFC-25]", async () => {
  await using setup = await openSetup();
  const socket = await openWsClient(`${setup.server.url.replace("http", "ws")}ws`);

  const settings = { workspace_path: setup.root, model: "gpt-5" };
  socket.send({ jsonrpc: "2.0", id: 1, method: "message/send", params: prompt(settings) });
  const answer = await socket.until(({ id }) => id === 1);

  expect(answer).toMatchObject({ error: { code: -32602, data: { path: "model" } } });
  socket.ws.close();
});

/** Writes dt's settings of the home or of a workspace. */
async function writeSettings(root: string, file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
}

test("dt-server refuses to start with a misspelt key in the person's settings", async () => {
  await using home = await openTempWorkspace();
  await writeSettings(home.root, ".config/dt/config.yaml", "modle: offline\n");

  const file = path.join(home.root, ".config/dt/config.yaml");
  await expect(openSetup({ HOME: home.root })).rejects.toThrow(
    `dt-server ended with 2: ${file}:1:1: modle is not a setting; did you mean model?\n`,
  );
});

test("if settings become wrong after the start, clients get the fault, but not the operator's home path", async () => {
  await using home = await openTempWorkspace();
  await using setup = await openSetup({ HOME: home.root });
  const { url } = setup.server;
  const send = async () =>
    (await post(url, "message/send", prompt({ workspace_path: setup.root }))).json();

  await writeSettings(home.root, ".config/dt/config.yaml", "modle: offline\n");
  const ofHost = await send();
  await writeSettings(home.root, ".config/dt/config.yaml", "model: offline\n");
  await writeSettings(
    home.root,
    ".config/dt/trusted.json",
    JSON.stringify({ trusted: [setup.root] }),
  );
  await writeSettings(setup.root, ".dt/config.yaml", "mdoe: plan\n");
  const ofWorkspace = await send();

  expect(ofHost).toMatchObject({
    error: {
      code: -32603,
      message:
        "no session can start on this server, because its settings have a fault: ~/.config/dt/config.yaml:1:1: modle is not a setting; did you mean model?",
    },
  });
  const file = path.join(setup.root, ".dt/config.yaml");
  expect(ofWorkspace).toMatchObject({
    error: {
      code: -32602,
      message: `workspace_path: ${file}:1:1: mdoe is not a setting; did you mean mode?`,
      data: { path: "workspace_path" },
    },
  });
});

test("dt-server warns about a misspelt variable and suggests the correct name", async () => {
  await using setup = await openSetup({ DT_MAX_TURN: "3" });

  expect(await setup.server.log("DT_MAX_TURN")).toBe(
    "warning: there is no variable DT_MAX_TURN, did you mean DT_MAX_TURNS?",
  );
});
