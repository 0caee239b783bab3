import { randomUUID } from "node:crypto";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { type AgentServerOptions, createAgentServer, openMemoryStore } from "@dt/server";
import { createScriptedAgent } from "@dt/server/testing";

/** Options of {@link openGrpcServer}. */
export interface GrpcStageOptions extends Partial<AgentServerOptions> {
  /** Runs each turn of the agent. By default, the agent repeats the prompt. */
  readonly script?: Parameters<typeof createScriptedAgent>[0];
}

/** Opens a real server with gRPC and a scripted agent. Disposing the stage closes the server. */
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
    /** Builds the ProtoJSON of a first prompt, with the settings of our extension. */
    firstPrompt: (text: string) =>
      prompt(text, { metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: workspace.root } } }),
    /** Internal faults that the server reported. Most tests expect none. */
    faults,
    async [Symbol.asyncDispose]() {
      await server.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** Builds the ProtoJSON of a request with a text message. */
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
