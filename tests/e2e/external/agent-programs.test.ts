import { execFile } from "node:child_process";
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
