import path from "node:path";
import type { AgentExecutor } from "@a2a-js/sdk/server";
import {
  type AgentServer,
  createAgentServer,
  createExecutorAgent,
  openSqliteStore,
} from "@dt/server";

/** Serves an executor of the official SDK, and stores its sessions in a directory. */
export async function serveExecutor(
  executor: AgentExecutor,
  port: number,
  dataDir: string,
): Promise<AgentServer> {
  return await createAgentServer({
    port,
    name: "Reviewer",
    description: "Reviews code.",
    skills: [{ id: "review", name: "Review", description: "Reviews a file.", tags: ["code"] }],
    store: openSqliteStore({ file: path.join(dataDir, "sessions.db") }),
    workspaceRoots: [dataDir],
    defaultSettings: { workspacePath: dataDir, allowedTools: [], mcpServers: {} },
    openAgent: createExecutorAgent(executor, { onFault: (reason) => console.error(reason) }),
  });
}
