import { randomUUID } from "node:crypto";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { type AgentServerOptions, createAgentServer, openMemoryStore } from "@dt/server";
import { createScriptedAgent } from "@dt/server/testing";

/** Options of {@link openGrpcServer}. */
export interface GrpcStageOptions extends Partial<AgentServerOptions> {
  /** The agent's turns. Default: it repeats the prompt. */
  readonly script?: Parameters<typeof createScriptedAgent>[0];
}

/** Opens a real server with gRPC, and an agent that follows a script. Disposing it closes the server. */
export async function openGrpcServer({ script, ...options }: GrpcStageOptions = {}) {
  const workspace = await openTempWorkspace();
  const faults: unknown[] = [];
  const server = await createAgentServer({
    openAgent: createScriptedAgent(script),
    store: openMemoryStore(),
    workspaceRoots: [workspace.root],
    defaultSettings: { workspacePath: workspace.root, allowedTools: [], mcpServers: {} },
    grpcPort: 0,
    onFault: (reason) => faults.push(reason),
    ...options,
  });
  return {
    server,
    url: server.url,
    address: server.grpcAddress ?? "",
    workspace,
    /** Builds the ProtoJSON of a request that starts a session of a client with extensions. */
    firstPrompt: (text: string) =>
      prompt(text, { metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: workspace.root } } }),
    /** Internal faults of the server; a test should leave it empty. */
    faults,
    async [Symbol.asyncDispose]() {
      await server.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** Builds the ProtoJSON of a request that sends a text. */
export function prompt(text: string, fields: object = {}) {
  const message = { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text }], ...fields };
  return { message };
}

/** Creates a promise that a test resolves by hand. */
export function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
