// An editor drives an external agent through dt.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { choose, openEditor } from "./open-editor.js";

const AGENT = path.resolve(import.meta.dirname, "../support/acp-agent.mjs");
const ORDERS = ["--agent", `"${process.execPath}" "${AGENT}"`];

test("an external agent's questions and file requests reach the editor [ACP-01, ACP-03]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  const file = path.join(workspace.root, "a.txt");
  await writeFile(file, "on disk");
  await using editor = await openEditor({
    home: home.root,
    args: ORDERS,
    capabilities: { fs: { readTextFile: true } },
    answer: choose("allow_always"),
    readText: () => "not saved",
  });
  const sessionId = await editor.open(workspace.root);

  await editor.prompt(sessionId, `read ${file}`);
  await editor.prompt(sessionId, "ask execute ls");
  await editor.prompt(sessionId, "/model large");
  await editor.update((update) => JSON.stringify(update).includes('"currentValue":"large"'));

  expect(editor.said()).toContain("not saved;answered yes;");
  expect(editor.questions).toMatchObject([{ toolCall: { kind: "execute" } }]);
});

test("in plan mode an external agent's request is refused without a question [ACP-03]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  await using editor = await openEditor({ home: home.root, args: [...ORDERS, "--mode", "plan"] });

  await editor.prompt(await editor.open(workspace.root), "ask execute ls");

  expect(editor.said()).toBe("answered no;");
  expect(editor.questions).toEqual([]);
});

test("a warning tells the editor that the external agent does not get the editor's MCP servers [ACP-03]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  const server = { name: "buffers", command: "touch", args: ["started"], env: [] };
  await using editor = await openEditor({ home: home.root, args: ORDERS, mcpServers: [server] });

  await editor.prompt(await editor.open(workspace.root), "say hello");

  expect(JSON.stringify(editor.updates)).toContain("does not get the editor's MCP servers buffers");
  await expect(workspace.read("started")).rejects.toThrow("ENOENT");
});

test("relative paths in options are resolved against the directory in which dt was started [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  await using start = await openTempWorkspace();
  await mkdir(path.join(start.root, "bin"));
  const program = `#!/bin/sh\nexec "${process.execPath}" "${AGENT}"\n`;
  await writeFile(path.join(start.root, "bin/agent"), program, { mode: 0o755 });
  await writeFile(path.join(start.root, "policy.yaml"), "maxMode: plan\n");
  await using editor = await openEditor({
    home: home.root,
    args: ["--agent", "./bin/agent", "--yolo"],
    environment: { DT_POLICY_FILE: "policy.yaml" },
    startDirectory: start.root,
  });

  await editor.prompt(await editor.open(workspace.root), "ask execute ls");

  expect(editor.said()).toBe("answered no;");
});
