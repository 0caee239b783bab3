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
import { editBeforeApproving } from "./edit-before-approving.js";

const serve = (workspacePath: string) =>
  createAgentServer({
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

test("the example writes the content that the person edited, and refuses a command [RFC-21]", async () => {
  await using workspace = await openTempWorkspace();
  await writeFile(path.join(workspace.root, "notes.txt"), "one\n");
  const server = await serve(workspace.root);
  const shown: string[] = [];
  const prompt = "edit notes.txt: one -> two then run rm notes.txt";

  const task = { workspacePath: workspace.root, prompt };
  const state = await editBeforeApproving(server.url, task, async (proposed, fileName) => {
    shown.push(`${fileName}: ${proposed}`);
    return "three\n";
  });
  await server.close();

  expect(state).toBe("completed");
  expect(shown).toEqual(["notes.txt: two\n"]);
  // The file still exists, because the example refused the command `rm`.
  expect(await workspace.read("notes.txt")).toBe("three\n");
});
