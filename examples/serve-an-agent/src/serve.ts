import path from "node:path";
import {
  createModelEngine,
  createOfflineModel,
  createSession,
  fileTools,
  openWorkspace,
} from "@dt/agent-core";
import { type AgentServer, createAgentServer, openSqliteStore } from "@dt/server";

/** Serves the agent on a port and stores its sessions in a directory. */
export async function serve(
  port: number,
  dataDir: string,
  workspacePath: string,
): Promise<AgentServer> {
  return await createAgentServer({
    port,
    store: openSqliteStore({ file: path.join(dataDir, "sessions.db") }),
    workspaceRoots: [workspacePath],
    defaultSettings: { workspacePath, allowedTools: [], mcpServers: {} },
    openAgent: async ({ settings, ...session }) =>
      await createSession({
        engine: createModelEngine({
          model: createOfflineModel(),
          tools: fileTools,
          workspace: await openWorkspace(settings.workspacePath),
        }),
        ...session,
      }),
  });
}
