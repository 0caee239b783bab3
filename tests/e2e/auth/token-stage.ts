import { openTempWorkspace } from "@dt/agent-core/testing";
import type { Role } from "@dt/schema";
import {
  type AgentServerOptions,
  createAgentServer,
  issueToken,
  openMemoryStore,
} from "@dt/server";
import { createScriptedAgent } from "@dt/server/testing";

/** Options of {@link openTokenStage}. */
export interface TokenStageOptions {
  readonly script?: Parameters<typeof createScriptedAgent>[0];
  readonly server?: Partial<AgentServerOptions>;
}

/** Opens a server with all bindings. It requires a token, unless the options say otherwise. */
export async function openTokenStage({ script, server: options = {} }: TokenStageOptions = {}) {
  const workspace = await openTempWorkspace();
  const faults: unknown[] = [];
  const store = options.store ?? openMemoryStore();
  const server = await createAgentServer({
    openAgent: createScriptedAgent(script),
    store,
    workspaceRoots: [workspace.root],
    defaultSettings: { workspacePath: workspace.root, allowedTools: [], mcpServers: {} },
    grpcPort: 0,
    isAuthRequired: true,
    onFault: (reason) => faults.push(reason),
    ...options,
  });
  return {
    server,
    store,
    url: server.url,
    wsUrl: `${server.url.replace("http", "ws")}ws`,
    grpcAddress: server.grpcAddress ?? "",
    workspace,
    faults,
    /** Creates a token of a user. The role is also the token's name, unless `fields` has another name. */
    token: (user: string, role: Role = "admin", fields: { name?: string; tier?: string } = {}) =>
      issueToken(store, { user, name: role, role, now: new Date(), ...fields }),
    async [Symbol.asyncDispose]() {
      await server.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** Sends a request, with `token` if it is set. The default method is POST with a body, else GET. */
export async function sendAs(
  address: string,
  { token, body, headers, method }: SendOptions = {},
): Promise<JsonResponse> {
  return await fetch(address, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      "Content-Type": "application/json",
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** A response whose JSON a test looks into. */
export interface JsonResponse extends Response {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
  json(): Promise<any>;
}

/** Options of {@link sendAs}. */
export interface SendOptions {
  readonly token?: string | undefined;
  readonly body?: object | undefined;
  readonly headers?: Record<string, string>;
  readonly method?: string;
}

/** Builds a JSON-RPC request. */
export function rpc(method: string, params: object): object {
  return { jsonrpc: "2.0", id: 1, method, params };
}
