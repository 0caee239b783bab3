import {
  createModelEngine,
  createOfflineModel,
  createSession,
  fileTools,
  type Model,
  openWorkspace,
  type Tool,
} from "@dt/agent-core";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { type AgentClient, type ConnectOptions, connect } from "@dt/client";
import { type AgentServerOptions, createAgentServer, openMemoryStore } from "@dt/server";

export interface StageOptions {
  readonly model?: Model;
  /** Default: the default mode of a session. */
  readonly mode?: Parameters<typeof createSession>[0]["mode"];
  /** Default: the file tools. */
  readonly tools?: readonly Tool[];
  readonly server?: Partial<AgentServerOptions>;
}

/** Opens a real agent behind a real server on a real socket, in a temporary workspace. */
export async function openStage({
  model = createOfflineModel(),
  tools = fileTools,
  mode,
  server: options = {},
}: StageOptions = {}) {
  const workspace = await openTempWorkspace();
  const faults: unknown[] = [];
  const server = await createAgentServer({
    store: openMemoryStore(),
    workspaceRoots: [workspace.root],
    defaultSettings: { workspacePath: workspace.root, allowedTools: [], mcpServers: {} },
    onFault: (reason) => faults.push(reason),
    openAgent: async ({ settings, ledger, journal, interruption, isCredentialAlive }) =>
      await createSession({
        engine: createModelEngine({
          model,
          tools,
          workspace: await openWorkspace(settings.workspacePath),
        }),
        ...(mode !== undefined && { mode }),
        ledger,
        journal,
        ...(interruption !== undefined && { interruption }),
        isCredentialAlive,
      }),
    ...options,
  });
  const clients: AgentClient[] = [];

  return {
    workspace,
    server,
    url: server.url,
    /** Internal faults of the server; a test should leave it empty. */
    faults,
    async connect(connectOptions: ConnectOptions = {}): Promise<AgentClient> {
      const client = await connect(server.url, connectOptions);
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.close();
      await server.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}
