import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openAgentSession } from "@dt/agent-core";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { type AgentClient, connect } from "@dt/client";
import { callAgent } from "@dt/client/call-agent";
import { type AgentServerOptions, createAgentServer, openMemoryStore } from "@dt/server";

/** Options of {@link openAgentServer}. */
export interface AgentServerStageOptions {
  /** The setting `agents` of the person's file. */
  readonly agents?: Readonly<Record<string, object>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly server?: Partial<AgentServerOptions>;
}

/** Opens a server whose agent is assembled as in dt-server, with settings from files and the offline model. */
export async function openAgentServer(options: AgentServerStageOptions = {}) {
  const workspace = await openTempWorkspace();
  const home = await mkdtemp(path.join(tmpdir(), "dt-home-"));
  const settings = JSON.stringify({ model: "offline", agents: options.agents ?? {} });
  await mkdir(path.join(home, ".config/dt"), { recursive: true });
  await writeFile(path.join(home, ".config/dt/config.yaml"), settings);
  const server = await createAgentServer({
    store: openMemoryStore(),
    workspaceRoots: [workspace.root],
    defaultSettings: { workspacePath: workspace.root, allowedTools: [], mcpServers: {} },
    openAgent: async ({ contextId: _, settings: session, ...opened }) =>
      await openAgentSession({
        home,
        environment: options.environment ?? {},
        dataDirectory: path.join(home, "data"),
        workspacePath: session.workspacePath,
        callAgent,
        ...opened,
      }),
    ...options.server,
  });
  const clients: AgentClient[] = [];
  return {
    workspace,
    url: server.url,
    async connect(): Promise<AgentClient> {
      const client = await connect(server.url);
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.close();
      await server.close();
      await workspace[Symbol.asyncDispose]();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Returns an order for the offline model to call an agent. */
export function orderCall(agent: string, prompt: string): string {
  return `call call_agent ${JSON.stringify({ agent, prompt })}`;
}
