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
import {
  type AgentServerOptions,
  createAgentServer,
  issueToken,
  type NewToken,
  openMemoryStore,
} from "@dt/server";

export interface StageOptions {
  readonly model?: Model;
  /** Permission mode of callers that have set none. Default: "default". */
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
  const store = options.store ?? openMemoryStore();
  const server = await createAgentServer({
    store,
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
    /** Internal faults that the server reported. Most tests expect none. */
    faults,
    /** Creates a token for a user. */
    token: (user: string, fields: Partial<NewToken> = {}) =>
      issueToken(store, { user, name: "laptop", role: "admin", now: new Date(), ...fields }),
    /** Revokes a token of a user. */
    revoke: (user: string, name: string) =>
      store.revokeToken({ user, name }, new Date().toISOString()),
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
