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
import { approveATool } from "./client.js";

test("the example approves a file edit and prints the agent's text", async () => {
  await using workspace = await openTempWorkspace();
  const server = await createAgentServer({
    store: openMemoryStore(),
    workspaceRoots: [workspace.root],
    defaultSettings: { workspacePath: workspace.root, allowedTools: [], mcpServers: {} },
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
  const texts: string[] = [];

  await approveATool(server.url, workspace.root, (text) => texts.push(text));
  await server.close();

  expect(texts).toEqual(["done"]);
  expect(await workspace.read("hello.txt")).toBe("hello");
});
