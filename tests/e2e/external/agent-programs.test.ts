import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect, isQuestion, isText } from "@dt/client";
import { expect, test } from "vitest";
import { startServerProcess } from "../support/server-process.js";
import { ORDERS_AGENT } from "./open-external-stage.js";

const dt = path.resolve(import.meta.dirname, "../../../apps/cli/dist/main.js");
const agent = `"${process.execPath}" "${ORDERS_AGENT}"`;

test("dt runs a prompt with the agent of --agent [ACP-03]", async () => {
  await using workspace = await openTempWorkspace();
  const environment = { PATH: process.env.PATH ?? "", HOME: workspace.root };

  const { stdout } = await promisify(execFile)(
    process.execPath,
    [dt, "--agent", agent, "-p", "say hello from outside"],
    { cwd: workspace.root, env: environment },
  );

  expect(stdout).toBe("hello from outside\n");
});

/** Variables of the known agents, and one that belongs to none of them. */
const VARIABLES = {
  GEMINI_API_KEY: "g",
  GOOGLE_GEMINI_BASE_URL: "g",
  ANTHROPIC_API_KEY: "a",
  OPENAI_API_KEY: "o",
  OTHER_SECRET: "x",
};

test.each([
  ["gemini", "gemini", "--acp", ["GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"]],
  ["claude", "claude-agent-acp", "", ["ANTHROPIC_API_KEY"]],
  // This agent requires a sign-in, for which dt uses the API key that is set.
  ["codex", "codex-acp", "", ["OPENAI_API_KEY"]],
  [
    "opencode",
    "opencode",
    "acp",
    ["ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "OPENAI_API_KEY"],
  ],
])(
  "--agent %s starts the program %s %s with the variables of that agent only [ACP-03, SEC-05]",
  async (name, command, expected, variables) => {
    await using workspace = await openTempWorkspace();
    const bin = path.join(workspace.root, "bin");
    const program = path.join(bin, command);
    const mode = name === "codex" ? "needs-key" : "";
    const start = `process.argv.splice(2, 0, "${mode}"); import(${JSON.stringify(ORDERS_AGENT)});`;
    await mkdir(bin);
    await writeFile(program, `#!${process.execPath}\n${start}\n`);
    await chmod(program, 0o755);
    const options = {
      cwd: workspace.root,
      env: { PATH: bin, HOME: workspace.root, ...VARIABLES },
    };

    const args = [dt, "--agent", name, "-p", "arguments\nenvironment"];
    const running = promisify(execFile)(process.execPath, args, options);
    running.child.stdin?.end();
    const { stdout } = await running;

    const [given, names = ""] = stdout.trim().split(";");
    const got = names.split(" ").filter((each) => Object.keys(VARIABLES).includes(each));
    expect([given, got.sort()]).toEqual([expected, variables]);
  },
);

test("dt-server puts the agent of DT_AGENT behind a session, and its questions reach clients [ACP-03]", async () => {
  await using workspace = await openTempWorkspace();
  await using data = await openTempWorkspace();
  await using server = await startServerProcess({
    DT_AGENT: agent,
    CODER_AGENT_PORT: "0",
    DT_DATA_DIR: data.root,
    DT_WORKSPACE_ROOTS: workspace.root,
  });
  const client = await connect(server.url);

  const task = await client.startTask({
    workspacePath: workspace.root,
    prompt: "ask execute rm x",
  });
  let told = "";
  for await (const event of task.events()) {
    if (isText(event)) told += event.text;
    if (isQuestion(event)) await task.answer(event.toolCall, "cancel");
  }
  client.close();

  expect(told).toBe("answered no;");
});
