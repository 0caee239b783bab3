import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import {
  type AgentSessionOptions,
  checkSandbox,
  createModel,
  type Model,
  openAgentSession,
  openMemoryLedger,
} from "@dt/agent-core";
import {
  agentFileDirectory,
  describeModelRefusal,
  driveAgent,
  type ExternalAgent,
  isModelAllowed,
} from "@dt/schema";
import {
  type AgentServer,
  type AgentServerOptions,
  createAgentServer,
  createPrometheusMetrics,
  type Logger,
  SetupError,
} from "@dt/server";
import { checkWorkspaces } from "./check-workspaces.js";
import type { Env } from "./env.js";
import { loadLimits, type ServerLimits } from "./load-limits.js";
import { openServerStore } from "./open-server-store.js";
import { refuseSettings } from "./refuse-settings.js";
import { SERVER_VERSION } from "./server-version.js";

/** A running server and the name of its model. */
export interface ServerApp extends AgentServer {
  readonly modelName: string;
}

/** Options of {@link composeServer} that do not come from the environment. */
export interface ComposeOptions extends Pick<AgentServerOptions, "now" | "elapsedMs" | "sweepMs"> {
  readonly logger: Logger;
}

/** The caller in whose name the server lists the commands while no session exists. */
const COMMAND_READER = { user: "server", name: "server", role: "observe" } as const;

/** Starts a server with the agent behind it. */
export async function composeServer(
  env: Env,
  { logger, ...clock }: ComposeOptions,
): Promise<ServerApp> {
  const limits = await loadLimits(env);
  await checkWorkspaces(env, limits);
  const { policy, workspaceRoots, settings } = limits;
  const { home, variables: environment, settingsFile: defaultsFile } = env;
  await checkSandbox({ home, environment, defaultsFile });
  const externalAgent = await findExternalAgent(env);
  const model = externalAgent ?? createFirstModel(env, { policy, settings });
  const sessionOptions = (
    contextId: string,
  ): Omit<AgentSessionOptions, "workspacePath" | "ledger"> => ({
    home: env.home,
    environment: env.variables,
    dataDirectory: directoryOf(contextId, env),
    agentDirectories: [env.dataDir],
    ...(externalAgent !== undefined && { externalAgent }),
    policy,
    defaultsFile: env.settingsFile,
    onWarning: (warning) => logger.warn({ contextId }, warning),
    announcesWarnings: true,
    onFault: (error) => logger.error({ contextId, error }, "the session stopped"),
    callAgent: async (call) => await (await import("@dt/client/call-agent")).callAgent(call),
  });
  const openSession = async (options: AgentSessionOptions) =>
    await openAgentSession(options).catch((reason: unknown) =>
      refuseSettings(reason, { home: env.home, workspacePath: options.workspacePath, logger }),
    );
  const server = await createAgentServer({
    openAgent: ({ contextId, settings, ...session }) =>
      openSession({
        ...sessionOptions(contextId),
        ...session,
        workspacePath: settings.workspacePath,
        client: settings,
        isClientLocal: settings.isFromLoopback === true,
        mcpAllowList: env.mcpAllowList,
      }),
    onSessionDeleted: (contextId) =>
      rm(directoryOf(contextId, env), { recursive: true, force: true }),
    async listCommands() {
      const session = await openSession({
        ...sessionOptions("commands"),
        workspacePath: env.defaultWorkspace,
        ledger: openMemoryLedger(),
      });
      try {
        return await driveAgent(session).listCommands(COMMAND_READER);
      } finally {
        await session.close();
      }
    },
    store: await openServerStore(env, (error) => logger.error({ error }, "the store has a fault")),
    host: env.host,
    port: env.port,
    ...(env.grpcPort !== undefined && { grpcPort: env.grpcPort }),
    version: SERVER_VERSION,
    workspaceRoots,
    policy,
    ...(env.secretKeys !== undefined && { secretKeys: env.secretKeys }),
    defaultSettings: { workspacePath: env.defaultWorkspace, allowedTools: [], mcpServers: {} },
    isExtensionRequired: env.isExtensionRequired,
    isAuthRequired: env.isAuthRequired,
    ...(env.publicUrl !== undefined && { publicUrl: env.publicUrl }),
    allowedHosts: env.allowedHosts,
    allowedOrigins: env.allowedOrigins,
    ...(env.jwt !== undefined && { jwt: env.jwt }),
    ...(env.tls !== undefined && { tls: env.tls }),
    trustsProxy: env.trustsProxy,
    agentFile: { directory: agentFileDirectory(env.variables, env.home), program: "dt-server" },
    limits: env.limits,
    maxBodyBytes: env.maxBodyBytes,
    push: env.push,
    metrics: createPrometheusMetrics(),
    logger,
    ...clock,
  });
  return { ...server, modelName: model.name };
}

/** Creates the external agent, if one is configured. Each session starts its own process of the agent. */
async function findExternalAgent({ agent, variables }: Env): Promise<ExternalAgent | undefined> {
  if (agent === undefined) return undefined;
  const { createExternalAgent, readAgentVariables } = await import("@dt/acp");
  return createExternalAgent({ agent, ...readAgentVariables(variables) });
}

// The model is created at the start, so that a missing key or a forbidden model is reported now and not in the
// first turn.
function createFirstModel(
  { variables: environment }: Env,
  { policy, settings }: Pick<ServerLimits, "policy" | "settings">,
): Model {
  const { model: name } = settings;
  const isNamed = Boolean(environment.DT_MODEL?.trim());
  const model = createModel({ environment, ...(!isNamed && name !== undefined && { name }) });
  if (isModelAllowed(policy, model.name)) return model;
  throw new SetupError(`${describeModelRefusal(policy, model.name)}; set DT_MODEL to one of these`);
}

/** Returns the directory of a session. Clients may choose the id, so an unusual id is hashed. */
function directoryOf(contextId: string, { dataDir }: Env): string {
  const isPlain = /^[a-z\d][a-z\d-]{0,63}$/.test(contextId);
  const name = isPlain ? contextId : `_${createHash("sha256").update(contextId).digest("hex")}`;
  return path.join(dataDir, "sessions", name);
}
