import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { choose, openEditor } from "./open-editor.js";

/** A server that only shows that it was started. */
const SERVER = `import { writeFileSync } from "node:fs";\nwriteFileSync("started", "");\n`;

/** Opens a workspace with a mode, a slash command and an MCP server of its own. */
async function openProject() {
  const workspace = await openTempWorkspace();
  await mkdir(path.join(workspace.root, ".dt/commands"), { recursive: true });
  await writeFile(
    path.join(workspace.root, ".dt/commands/greet.md"),
    "say hello from the project\n",
  );
  await writeFile(path.join(workspace.root, "server.mjs"), SERVER);
  const server = { command: process.execPath, args: ["server.mjs"] };
  const settings = { mode: "auto-edit", mcpServers: { own: server } };
  await writeFile(path.join(workspace.root, ".dt/config.yaml"), JSON.stringify(settings));
  return workspace;
}

test("a directory's own mode, commands and MCP servers are used only with --trust [ACP-01, SEC-08]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openProject();
  const prompt = async (args: readonly string[]) => {
    await using editor = await openEditor({
      home: home.root,
      args,
      answer: choose("allow_once"),
    });
    const sessionId = await editor.open(workspace.root);
    await editor.prompt(sessionId, "/greet").catch(() => {});
    const isStarted = await workspace.read("started").then(
      () => true,
      () => false,
    );
    const asked = editor.questions.length;
    await editor.prompt(sessionId, "write a.txt: x");
    return {
      greets: editor.said().includes("hello from the project"),
      isStarted,
      asksForEdits: editor.questions.length > asked,
      isWarned: JSON.stringify(editor.updates).includes("--trust"),
    };
  };

  const before = await prompt([]);
  const trusted = await prompt(["--trust"]);
  const later = await prompt([]);

  expect(before).toEqual({ greets: false, isStarted: false, asksForEdits: true, isWarned: true });
  const used = { greets: true, isStarted: true, asksForEdits: false, isWarned: false };
  expect([trusted, later]).toEqual([used, used]);
});
