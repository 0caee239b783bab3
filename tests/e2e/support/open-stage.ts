import {
  builtinTools,
  createModelEngine,
  createOfflineModel,
  createSession,
  type Model,
  openWorkspace,
  type Tool,
} from "@dt/agent-core";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { type AgentClient, type ConnectOptions, connect } from "@dt/client";
import { type AgentServerOptions, createAgentServer, openMemoryStore } from "@dt/server";

/** What a stage can be told. */
export interface StageOptions {
  readonly model?: Model;
  /** Default: what a session has by itself. */
  readonly mode?: Parameters<typeof createSession>[0]["mode"];
  /** Default: the tools for files. */
  readonly tools?: readonly Tool[];
  readonly server?: Partial<AgentServerOptions>;
}

/** A real agent behind a real server on a real socket, in a workspace of its own. */
export async function openStage({
  model = createOfflineModel(),
  tools = builtinTools,
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
    /** What went wrong inside; a good test leaves it empty. */
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
