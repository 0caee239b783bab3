import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { DEVELOPMENT_TOOL_URI, SESSION_URI } from "@dt/schema";
import { expect, test } from "vitest";
import { openDataDir } from "./support/data-dir.js";
import { post, readStream } from "./support/raw-rpc.js";
import { startServerProcess } from "./support/server-process.js";

const KEY = "a key of the tests with 32 characters";
const SECRET = /s3cret-[a-z]+/;
const extensions = { "A2A-Extensions": `${DEVELOPMENT_TOOL_URI}, ${SESSION_URI}` };

async function openSetup() {
  const [workspace, data] = await Promise.all([openTempWorkspace(), openDataDir()]);
  return {
    root: workspace.root,
    start: (variables: Record<string, string> = {}) =>
      startServerProcess({
        DT_DATA_DIR: data.directory,
        DT_WORKSPACE_ROOTS: workspace.root,
        CODER_AGENT_PORT: "0",
        DT_PUSH_ALLOW: "127.0.0.1",
        DT_LOG_LEVEL: "debug",
        ...variables,
      }),
    /** Reads all bytes of the database. */
    async stored() {
      const names = await readdir(data.directory);
      const files = names.filter((name) => name.startsWith("dt-server.db"));
      const texts = files.map((name) => readFile(path.join(data.directory, name), "latin1"));
      return (await Promise.all(texts)).join("\n");
    },
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await data[Symbol.asyncDispose]();
    },
  };
}

/** Starts a session with MCP servers that have secrets. Returns its context id. */
async function startSession(url: string, root: string): Promise<string> {
  const message = {
    kind: "message",
    role: "user",
    messageId: randomUUID(),
    parts: [{ kind: "text", text: "say hi" }],
    metadata: {
      [DEVELOPMENT_TOOL_URI]: {
        workspace_path: root,
        mcp_servers: {
          program: { command: "true", env: { API_TOKEN: "s3cret-env", PLAIN: "s3cret-plain" } },
          address: {
            url: "https://mcp.example/?key=s3cret-query",
            headers: { Authorization: "s3cret-header" },
          },
        },
      },
    },
  };
  const response = await post(url, "message/stream", { message }, extensions);
  const events = await readStream(response);
  return events[0]?.json.result.contextId;
}

async function createTask(
  url: string,
  body: object,
): Promise<{ taskId: string; contextId: string }> {
  const response = await fetch(`${url}tasks`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { taskId: string; contextId: string };
}

async function setPush(url: string, taskId: string, receiver: string) {
  const pushNotificationConfig = {
    url: receiver,
    token: "s3cret-token",
    authentication: { schemes: ["Bearer"], credentials: "s3cret-credentials" },
  };
  return await post(url, "tasks/pushNotificationConfig/set", { taskId, pushNotificationConfig });
}

test.each([{}, { DT_SECRET_KEY: KEY }])(
  "no secret of a client is in the database or in the log, with the variables %j [SEC-05]",
  async (variables) => {
    await using setup = await openSetup();
    await using server = await setup.start(variables);

    await startSession(server.url, setup.root);
    const { taskId } = await createTask(server.url, { agentSettings: { apiKey: "s3cret-key" } });
    const set = await setPush(server.url, taskId, "http://127.0.0.1:9/");
    const whileRunning = await setup.stored();
    const { stderr } = await server.stop();

    expect(set.status).toBe(200);
    expect(whileRunning).toContain(taskId);
    expect(whileRunning + (await setup.stored()) + stderr).not.toMatch(SECRET);
  },
);

async function promptIn(url: string, contextId: string): Promise<string> {
  const parts = [{ kind: "text", text: "say again" }];
  const message = { kind: "message", role: "user", messageId: randomUUID(), parts, contextId };
  return await (await post(url, "message/send", { message })).text();
}

test.each([
  ["kept in memory", {}, {}, "was kept in memory only and is gone since the server restarted"],
  [
    "encrypted with another key",
    { DT_SECRET_KEY: KEY },
    { DT_SECRET_KEY: `${KEY}, another` },
    "which this server does not have; set DT_PREVIOUS_SECRET_KEY to that key",
  ],
  [
    "encrypted with the previous key",
    { DT_SECRET_KEY: KEY },
    { DT_SECRET_KEY: `${KEY}, another`, DT_PREVIOUS_SECRET_KEY: KEY },
    "completed",
  ],
])(
  "after a restart, a session whose model key was %s continues or says why [SEC-05]",
  async (_, before, after, reply) => {
    await using setup = await openSetup();
    await using first = await setup.start(before);
    const settings = { apiKey: "s3cret-key", model: "offline" };
    const { contextId } = await createTask(first.url, { agentSettings: settings });
    await first.stop();

    await using second = await setup.start(after);

    expect(await promptIn(second.url, contextId)).toContain(reply);
  },
);
