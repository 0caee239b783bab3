// Loads the bundle as VS Code does, with a real agent and a stand-in for the module `vscode`.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import {
  createModelEngine,
  createOfflineModel,
  createSession,
  fileTools,
  openWorkspace,
} from "@dt/agent-core";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { createAgentServer, openMemoryStore } from "@dt/server";
import { expect, test } from "vitest";
import { createState, openWindow } from "./support/vscode-stand-in.js";

test("the bundled extension runs a prompt and writes the change that the person edited [PKG-03, RFC-21]", async () => {
  await using workspace = await openTempWorkspace();
  await writeFile(path.join(workspace.root, "notes.txt"), "one\n");
  const server = await serve(workspace.root);
  const { editor, close } = await openWindow(server.url, workspace.root, createState());

  editor.act({ type: "submit", text: "edit notes.txt: one -> two then say done" });
  await editor.until(() => editor.diffs.length > 0);
  const [diff] = editor.diffs;
  expect([editor.read(diff?.before), editor.read(diff?.after)]).toEqual(["one\n", "two\n"]);
  editor.edit(diff?.after, "three\n");
  await editor.run("dt.approve", diff?.after);
  await editor.until(() => editor.chat?.turn === "completed");

  expect(await workspace.read("notes.txt")).toBe("three\n");
  await editor.until(() => editor.closedTabs === 1);
  close();
  await server.close();
});

test("a reloaded window shows the conversation and can answer its open question [PKG-03]", async () => {
  await using workspace = await openTempWorkspace();
  const server = await serve(workspace.root);
  const workspaceState = createState();
  const open = () => openWindow(server.url, workspace.root, workspaceState);
  const first = await open();
  first.editor.act({ type: "submit", text: "say before then write a.txt: kept" });
  await first.editor.until(() => first.editor.diffs.length > 0);
  first.close();

  const second = await open();
  second.editor.act({ type: "ready" });
  await second.editor.until(() => second.editor.diffs.length > 0);
  expect(second.editor.chat?.turn).toBe("asking");
  expect(JSON.stringify(second.editor.chat?.items)).toContain('"text":"before"');
  await second.editor.run("dt.approve", second.editor.diffs[0]?.after);
  await second.editor.until(() => second.editor.chat?.turn === "completed");
  second.close();
  await server.close();

  expect(await workspace.read("a.txt")).toBe("kept");
});

test("an edit that was saved in the diff editor can be approved after a reload [PKG-03, RFC-21]", async () => {
  await using workspace = await openTempWorkspace();
  const server = await serve(workspace.root);
  const workspaceState = createState();
  const open = () => openWindow(server.url, workspace.root, workspaceState);
  const first = await open();
  first.editor.act({ type: "submit", text: "write a.txt: theirs" });
  await first.editor.until(() => first.editor.diffs.length > 0);
  first.editor.save(first.editor.diffs[0]?.after, "mine");
  first.close();

  const second = await open();
  second.editor.act({ type: "ready" });
  await second.editor.until(() => second.editor.diffs.length > 0);
  const after = second.editor.diffs[0]?.after;
  expect(second.editor.read(after)).toBe("mine");
  await second.editor.run("dt.approve", after);
  await second.editor.until(() => second.editor.chat?.turn === "completed");
  second.close();
  await server.close();

  expect(await workspace.read("a.txt")).toBe("mine");
});

function serve(workspacePath: string) {
  return createAgentServer({
    store: openMemoryStore(),
    workspaceRoots: [workspacePath],
    defaultSettings: { workspacePath, allowedTools: [], mcpServers: {} },
    openAgent: async ({ settings, ledger, journal }) =>
      await createSession({
        engine: createModelEngine({
          model: createOfflineModel(),
          tools: fileTools,
          workspace: await openWorkspace(settings.workspacePath),
        }),
        ledger,
        journal,
      }),
  });
}
