import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { openAgentSession, openMemoryLedger } from "@dt/agent-core";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { runWithTool } from "./run-with-tool.js";

const you = { user: "you", name: "You", role: "admin" } as const;
const call = (text: string) =>
  ({
    type: "prompt",
    messageId: "1",
    taskId: "1",
    parts: [{ type: "text", text }],
  }) as const;

test("a tool that is passed to a session counts the words of a file", async () => {
  await using workspace = await openTempWorkspace();
  await writeFile(path.join(workspace.root, "a.txt"), "one two\nthree\n");

  expect(await runWithTool(workspace.root, 'call count_words {"file":"a.txt"}')).toEqual([
    "a.txt has 3 words",
  ]);
});

test("a tool that is passed to a session explains to the model that a file is missing", async () => {
  await using workspace = await openTempWorkspace();

  expect(await runWithTool(workspace.root, 'call count_words {"file":"b.txt"}')).toEqual([
    "b.txt cannot be read; list the directory",
  ]);
});

test("a tool of an MCP server from the settings counts the words of a file", async () => {
  await using workspace = await openTempWorkspace();
  await using home = await openTempWorkspace();
  await writeFile(path.join(workspace.root, "a.txt"), "one two\nthree\n");
  const server = path.join(import.meta.dirname, "count-words-server.mjs");
  const settings = `mode: yolo\nmcpServers:\n  words:\n    command: node\n    args: [${server}]\n`;
  await mkdir(path.join(home.root, ".config", "dt"), { recursive: true });
  await writeFile(path.join(home.root, ".config", "dt", "config.yaml"), settings);
  const ledger = openMemoryLedger();
  const session = await openAgentSession({
    workspacePath: workspace.root,
    home: home.root,
    environment: { PATH: process.env.PATH },
    dataDirectory: path.join(home.root, "data"),
    ledger,
  });

  await session.handle(call('call count_words {"file":"a.txt"}'), you);

  const results: unknown[] = [];
  for await (const event of ledger.read()) {
    if (event.kind === "TOOL_CALL_UPDATE" && event.toolCall.result) {
      results.push(event.toolCall.result);
    }
    if (event.kind === "STATE_CHANGE" && event.state === "completed") break;
  }
  await session.close();
  expect(JSON.stringify(results)).toContain("a.txt has 3 words");
});
