import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { DEVELOPMENT_TOOL_URI, type JsonObject } from "@dt/schema";
import { expect, test } from "vitest";
import { openStage } from "../e2e/support/open-stage.js";
import { post } from "../e2e/support/raw-rpc.js";
import { startServerProcess } from "../e2e/support/server-process.js";
import { main, openScreen } from "./support/open-screen.js";

const server = path.resolve(import.meta.dirname, "../../apps/server/dist/main.js");

/** A text with colours, a clear screen, clipboard access, a bell, C1 controls and bidirectional marks. */
const HOSTILE_TEXT =
  "\x1b[31mA\x1b[2J\x1b]52;c;ZXZpbA==\x07B\x9b31mC\x9d52;c;eA==\x9c\u202eD\u2066\rE";

/** The parts of HOSTILE_TEXT that a terminal would execute. dt and dt-server must print none of them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
const LIVE_SEQUENCE = /\x1b\[31mA|\x1b\[2J|\x1b\]52|\x07|[\x80-\x9f]|[\u202a-\u202e\u2066-\u2069]/;

const EVIL_ANSWERS = ["a JSON-RPC error", "a body without JSON-RPC", "no agent card"] as const;
type EvilAnswer = (typeof EVIL_ANSWERS)[number];

/** Serves an agent whose card and responses contain control sequences. */
async function openEvilAgent(answer: EvilAnswer) {
  await using stage = await openStage();
  const answered = await fetch(new URL("/.well-known/agent-card.json", stage.url));
  const card = (await answered.json()) as JsonObject;
  const http = createServer((request, response) => {
    const { port } = http.address() as AddressInfo;
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.method === "GET" && answer === "no agent card") {
      return json(500, { error: HOSTILE_TEXT });
    }
    if (request.method === "GET") {
      const text = JSON.stringify({
        ...card,
        name: HOSTILE_TEXT,
        description: HOSTILE_TEXT,
        version: HOSTILE_TEXT,
      });
      return json(200, JSON.parse(text.replaceAll(stage.url, `http://127.0.0.1:${port}/`)));
    }
    if (answer === "a body without JSON-RPC") {
      return json(400, { message: HOSTILE_TEXT, code: HOSTILE_TEXT });
    }
    return json(200, { jsonrpc: "2.0", id: 1, error: { code: -32_603, message: HOSTILE_TEXT } });
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
    },
  };
}

test.each(EVIL_ANSWERS)(
  "dt attach escapes the text of a server that answers with %s",
  async (answer) => {
    await using workspace = await openTempWorkspace();
    await using agent = await openEvilAgent(answer);
    await using screen = openScreen({ cwd: workspace.root, args: ["attach", agent.url] });

    const code = await screen.exited;

    expect(code).toBe(2);
    expect(screen.raw()).not.toMatch(LIVE_SEQUENCE);
    if (answer === "a JSON-RPC error") expect(screen.raw()).toContain("␛]52;c;");
  },
);

test("dt-server escapes directory names in its log", async () => {
  await using workspace = await openTempWorkspace();
  const directory = path.join(workspace.root, HOSTILE_TEXT);
  await mkdir(path.join(directory, ".dt"), { recursive: true });
  await writeFile(path.join(directory, ".dt", "config.yaml"), "mode: yolo");
  await using running = await startServerProcess({
    DT_DATA_DIR: path.join(workspace.root, "data"),
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
  });

  const message = {
    kind: "message",
    role: "user",
    messageId: "m-1",
    parts: [{ kind: "text", text: "say hi" }],
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: directory } },
  };
  await post(running.url, "message/send", { message });
  const line = await running.log("not trusted");

  expect(line).toContain("\\u001b]52;c;");
  expect(running.stderr()).not.toMatch(LIVE_SEQUENCE);
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(program: string, args: readonly string[], cwd: string, variables = {}) {
  return await new Promise<Ended>((resolve) => {
    const env = { PATH: process.env.PATH ?? "", HOME: cwd, DT_DATA_DIR: path.join(cwd, "data") };
    const child = execFile(
      process.execPath,
      [program, ...args],
      { cwd, env: { ...env, ...variables }, timeout: 300_000 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end();
  });
}

test("dt escapes the keys and values of settings in its error messages", async () => {
  await using workspace = await openTempWorkspace();
  await mkdir(path.join(workspace.root, ".config", "dt"), { recursive: true });
  const settings = JSON.stringify({ [HOSTILE_TEXT]: 1, mode: HOSTILE_TEXT });
  await writeFile(path.join(workspace.root, ".config", "dt", "config.yaml"), settings);

  const { stderr } = await run(main, ["-p", "say hi", "--model", "offline"], workspace.root);

  expect(stderr).toContain("config.yaml");
  expect(stderr).not.toMatch(LIVE_SEQUENCE);
});

test.each([
  ["dt", main, ["-p", "say hi", "--model", HOSTILE_TEXT], {}],
  ["dt", main, [`--${HOSTILE_TEXT}`], {}],
  ["dt", main, ["--resume", HOSTILE_TEXT, "-p", "x"], {}],
  ["dt", main, ["-p", "say hi", "--model", "offline"], { DT_MODE: HOSTILE_TEXT }],
  ["dt-server", server, [`--${HOSTILE_TEXT}`], {}],
  ["dt-server", server, [], { DT_LOG_LEVEL: HOSTILE_TEXT }],
  ["dt-server", server, [], { DT_MODEL: HOSTILE_TEXT }],
  ["dt-server", server, [], { DT_MCP_ALLOW: HOSTILE_TEXT }],
])(
  "%s escapes its arguments and variables in its error messages",
  async (_name, program, args, variables) => {
    await using workspace = await openTempWorkspace();

    const { code, stdout, stderr } = await run(program, args, workspace.root, variables);

    expect(code).toBe(2);
    expect(stderr).not.toBe("");
    expect(stdout + stderr).not.toMatch(LIVE_SEQUENCE);
  },
);
