import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { type AgentClient, connect, isQuestion, type TaskHandle } from "@dt/client";
import type { ToolCall } from "@dt/schema";
import { expect, test } from "vitest";
import { createToken } from "../support/create-token.js";
import { startServerProcess } from "../support/server-process.js";
import { ORDERS_AGENT } from "./open-external-stage.js";

const AGENT = `"${process.execPath}" "${ORDERS_AGENT}"`;

/** Starts a real dt-server, by default with the agent that follows orders. */
async function openServer(policy?: string, agent = AGENT) {
  const [workspace, data] = await Promise.all([openTempWorkspace(), openTempWorkspace()]);
  const policyFile = path.join(data.root, "policy.yaml");
  if (policy !== undefined) await writeFile(policyFile, policy);
  const server = await startServerProcess({
    CODER_AGENT_PORT: "0",
    DT_DATA_DIR: data.root,
    DT_WORKSPACE_ROOTS: workspace.root,
    ...(agent !== "" && { DT_AGENT: agent }),
    ...(policy !== undefined && { DT_POLICY_FILE: policyFile }),
  });
  const clients: AgentClient[] = [];
  return {
    root: workspace.root,
    read: workspace.read,
    token: (user: string) => createToken(data.root, user),
    async connect(token?: string): Promise<AgentClient> {
      const client = await connect(server.url, token === undefined ? {} : { token });
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.close();
      await server[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
      await data[Symbol.asyncDispose]();
    },
  };
}

/** Approves the first question of a turn and rejects the others; resolves with all questions. */
async function approveFirst(task: TaskHandle): Promise<readonly ToolCall[]> {
  const asked: ToolCall[] = [];
  for await (const event of task.events()) {
    if (!isQuestion(event)) continue;
    asked.push(event.toolCall);
    await task.answer(event.toolCall, asked.length === 1 ? "proceed_once" : "cancel");
  }
  return asked;
}

test("if an agent behind dt-server writes other text than was approved, dt asks again [ACP-03, SEC-06]", async () => {
  await using stage = await openServer();
  const client = await stage.connect();
  const file = path.join(stage.root, "a.txt");

  const prompt = `swap ${file} other text`;
  const asked = await approveFirst(await client.startTask({ workspacePath: stage.root, prompt }));

  expect(asked.map((call) => call.confirmationRequest?.details)).toMatchObject([
    { value: { newContent: "harmless" } },
    { value: { newContent: "other text" } },
  ]);
  await expect(readFile(file)).rejects.toThrow("ENOENT");
});

test("if an agent behind dt-server runs an approved command in another directory, dt asks again [ACP-03, SEC-06]", async () => {
  await using stage = await openServer();
  await using other = await openTempWorkspace();
  const client = await stage.connect();

  const prompt = `elsewhere ${other.root} touch made`;
  const asked = await approveFirst(await client.startTask({ workspacePath: stage.root, prompt }));

  expect(asked[1]?.confirmationRequest?.details).toMatchObject({
    value: { command: "touch made", workingDirectory: other.root },
  });
  await expect(other.read("made")).rejects.toThrow("ENOENT");
});

test("an agent behind dt-server cannot use tools that the policy forbids, even with autoExecute [ACP-03, SEC-10]", async () => {
  await using stage = await openServer("excludedTools: [run_shell_command, write_file]\n");
  const client = await stage.connect();

  const prompt = ["ask execute ls", "terminal touch made", "write a.txt text"].join("\n");
  const settings = { autoExecute: true };
  const task = await client.startTask({ workspacePath: stage.root, prompt, settings });
  const asked = await approveFirst(task);

  expect(asked).toEqual([]);
  expect(JSON.stringify(task.view())).not.toContain('"EXECUTING"');
  await expect(stage.read("a.txt")).rejects.toThrow("ENOENT");
  await expect(stage.read("made")).rejects.toThrow("ENOENT");
});

test("once a guest in yolo has only the role prompt, dt asks about the guest's writes again [TEAM-01, SEC-10]", async () => {
  await using stage = await openServer(undefined, "");
  const [adaToken, bobToken] = await Promise.all([stage.token("ada"), stage.token("bob")]);
  const [ada, bob] = [await stage.connect(adaToken), await stage.connect(bobToken)];
  const adas = await ada.startTask({ workspacePath: stage.root, prompt: "say hi" });
  for await (const _ of adas.events());
  const { contextId } = adas;
  const prompt = async (text: string) => {
    const bobs = await bob.openSession(contextId);
    await bobs.prompt(text);
    let isAsked = false;
    for await (const event of bobs.events()) {
      if (!isQuestion(event)) continue;
      isAsked = true;
      await (await ada.openSession(contextId)).answer(event.toolCall, "cancel");
    }
    return isAsked;
  };

  await ada.sharing.share(contextId, { user: "bob", role: "approve" });
  const { task } = await bob.run(["mode"], "yolo", { contextId });
  for await (const _ of task?.events() ?? []);
  const before = await prompt("write a.txt: free");
  await ada.sharing.share(contextId, { user: "bob", role: "prompt" });
  const after = await prompt("write b.txt: lowered");

  expect([before, after]).toEqual([false, true]);
  expect(await stage.read("a.txt")).toBe("free");
  await expect(stage.read("b.txt")).rejects.toThrow("ENOENT");
});
