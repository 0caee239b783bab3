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
import { sharedSession } from "./shared-session.js";

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

test("both people see the same items, and the refusal of the second answer names the winner [CLI-14, CLI-17]", async () => {
  await using workspace = await openTempWorkspace();
  const server = await serve(workspace.root);
  const lines: string[] = [];

  await sharedSession(server.url, workspace.root, (line) => lines.push(line));
  await server.close();

  const [lost, ...transcripts] = lines;
  const winner = /^(Ada|Bob) was first: proceed_once$/.exec(lost ?? "")?.[1];
  expect(winner).toBeDefined();
  const transcript = `USER_PROMPT, write_file by ${winner}, done`;
  expect(transcripts).toEqual([transcript, transcript]);
  expect(await workspace.read("shared.txt")).toBe("ours");
});
