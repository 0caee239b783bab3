import path from "node:path";
import { builtinTools, createModel, createSession, openWorkspace } from "@dt/agent-core";
import {
  type AgentServer,
  createAgentServer,
  type Logger,
  type OpenAgent,
  openSqliteStore,
} from "@dt/server";
import type { Env } from "./env.js";
import { version } from "./version.js";

/** A server that listens, and the model behind it. */
export interface ServerApp extends AgentServer {
  readonly modelName: string;
}

/** Joins the agent and the server. */
export async function composeServer(env: Env, logger: Logger): Promise<ServerApp> {
  const model = createModel({ environment: env.variables });
  const openAgent: OpenAgent = async ({ settings, ledger, journal }) =>
    await createSession({
      model,
      tools: builtinTools,
      workspace: await openWorkspace(settings.workspacePath),
      ledger,
      journal,
      mode: settings.autoExecute === true ? "yolo" : "default",
      onFault: (error) => logger.error({ error }, "the session stopped"),
    });
  const server = await createAgentServer({
    openAgent,
    store: openSqliteStore({ file: path.join(env.dataDir, "dt-server.db") }),
    host: env.host,
    port: env.port,
    version,
    workspaceRoots: env.workspaceRoots,
    defaultSettings: { workspacePath: env.defaultWorkspace, allowedTools: [], mcpServers: {} },
    isExtensionRequired: env.isExtensionRequired,
    limits: env.limits,
    logger,
    ...(env.maxBodyBytes !== undefined && { maxBodyBytes: env.maxBodyBytes }),
  });
  return { ...server, modelName: model.name };
}
