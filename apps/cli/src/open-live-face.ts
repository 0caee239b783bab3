import { type AgentSession, isFreerMode, openAgentSession } from "@dt/agent-core";
import {
  type AgentSettings,
  agentFileDirectory,
  type EditorFiles,
  type ExternalAgent,
  type FaceStatus,
  type ModesReply,
  type OpenAgentOptions,
  type PermissionMode,
} from "@dt/schema";
import {
  type AgentServer,
  createPairing,
  type LiveEndpoint,
  type LiveServerOptions,
  type LiveSession,
  type LiveSessionOptions,
  type Logger,
  openLiveSession,
  type SecretKeyOptions,
  type SessionStore,
} from "@dt/server";
import { CLI_VERSION } from "./cli-version.js";
import { createClientsCommand } from "./endpoint/clients-command.js";
import {
  checkEncryption,
  DEFAULT_ENDPOINT,
  type EndpointOptions,
} from "./endpoint/endpoint-options.js";
import { createEndpointSharing, type EndpointSharing } from "./endpoint/endpoint-sharing.js";
import { loadJoinPage } from "./endpoint/load-join-page.js";
import { createNotices, type Notices, toPairingNotices } from "./endpoint/notices.js";
import { ownAddresses } from "./endpoint/own-addresses.js";
import { createShareCommand } from "./endpoint/share-command.js";
import { checkPolicyRoots, type FaceLimits, loadFaceLimits } from "./load-limits.js";
import type { HostCommand } from "./screen/state/host-command.js";
import { type AnswerGate, createAnswerGate } from "./session/local/answer-gate.js";
import { TERMINAL_CALLER } from "./session/local/handle-local.js";
import { type LocalFace, openLocalFace } from "./session/local/local-face.js";
import { dataPaths } from "./sessions/data-paths.js";
import { sessionDirectory, type UserEnvironment } from "./sessions/stored-sessions.js";

/** Options of {@link openLiveFace}. */
export interface LiveFaceOptions extends UserEnvironment {
  /** Stores the session. The store stays open when the face is closed. */
  readonly store: SessionStore;
  /** Workspace of a new session. A resumed session keeps the workspace that it was created in. */
  readonly workspacePath: string;
  /** Directory against which relative paths in environment variables are resolved. Default: the workspace. */
  readonly startDirectory?: string;
  /** Id of the session to resume. Default: a new session. */
  readonly contextId?: string;
  readonly model: string | undefined;
  readonly mode: PermissionMode | undefined;
  /** True if opening must fail when no model is configured; otherwise the offline model answers. */
  readonly needsModel: boolean;
  /**
   * Settings that the editor sends when it opens the session. A person must allow each MCP server in these
   * settings before that server starts.
   */
  readonly client?: AgentSettings;
  /** Endpoint at which clients can join this session and others. Default: none until `serve` is called. */
  readonly liveEndpoint?: Pick<LiveEndpoint, "openSession" | "url" | "countClients">;
  /** Reads and writes files in the editor that opened the session; absent without such an editor. */
  readonly editorFiles?: EditorFiles;
  /** Agent of another program that runs the turns. Default: our own model. */
  readonly externalAgent?: ExternalAgent | undefined;
  /** Endpoint at which other clients can join the session. Default: loopback, on any free port. */
  readonly endpoint?: EndpointOptions;
  /** Keys that encrypt secrets of clients. Default: such secrets stay in memory. */
  readonly secretKeys?: SecretKeyOptions | undefined;
  readonly logger: Logger;
  readonly onWarning: (warning: string) => void;
}

/** A session of this process and its face. A process may open several sessions on one store. */
export interface LiveFace {
  readonly live: LiveSession;
  /** Closing the face ends the session. */
  readonly face: LocalFace;
  /** Lets other clients join the session. Later calls resolve with the same server. */
  serve(): Promise<AgentServer>;
  readonly sharing: EndpointSharing;
  readonly hostCommands: readonly HostCommand[];
  readonly notices: Notices;
}

/** Opens a session with its agent and its face. */
export async function openLiveFace(options: LiveFaceOptions): Promise<LiveFace> {
  const { store, logger, workspacePath, contextId, liveEndpoint, secretKeys } = options;
  const limits = await loadFaceLimits({ startDirectory: workspacePath, ...options });
  const gate = createAnswerGate();
  let agent: AgentSession | undefined;
  let server: Pick<AgentServer, "url" | "countClients"> | undefined = liveEndpoint;
  const description: Omit<LiveSessionOptions, "store"> = {
    secretKeys,
    openAgent: async (opened) => {
      // A resumed session has a workspace of its own.
      await checkPolicyRoots(opened.settings.workspacePath, limits);
      agent = await openAgent(opened, { ...options, ...limits });
      return holdAnswers(agent, gate);
    },
    settings: { workspacePath, allowedTools: [], mcpServers: {} },
    ...(contextId !== undefined && { contextId }),
    onFault: (error) => logger.error({ error }, "the session has a fault"),
  };
  const live = await (liveEndpoint === undefined
    ? openLiveSession({ ...description, store })
    : liveEndpoint.openSession(description));
  // The status shows this name until the session changes its model. `metadata` is called only once, because
  // it also lists every tool, which is slow.
  const firstModel = agent?.metadata().model ?? "";
  // Only an external agent is asked again. It reports its own model, and lists no tools, so the call is
  // cheap.
  const ownModel = () => options.externalAgent && agent?.metadata().model;
  const face = await openLocalFace({
    live,
    gate,
    status: (modes) => ({
      model: ownModel() ?? agent?.snapshot().modelName ?? firstModel,
      ...toStatusModes(modes, server !== undefined),
      ...(server !== undefined && { endpoint: server.url, clients: server.countClients() }),
    }),
  });
  const { endpoint = DEFAULT_ENDPOINT } = options;
  const notices = createNotices();
  const pairing = createPairing({ store, ...toPairingNotices(notices) });

  async function open(): Promise<AgentServer> {
    const { environment, home } = options;
    checkEncryption(endpoint);
    const opened = await live.serve({
      ...toServerOptions(endpoint),
      policy: limits.policy,
      version: CLI_VERSION,
      logger,
      onClientsChange: () => void face.refresh(),
      join: { pairing, loadPage: loadJoinPage },
      agentFile: { directory: agentFileDirectory(environment, home), program: "dt" },
    });
    server = opened;
    await face.refresh();
    return opened;
  }

  let opening: Promise<AgentServer> | undefined;
  async function serve(): Promise<AgentServer> {
    opening ??= open().catch((reason: unknown) => {
      opening = undefined;
      throw reason;
    });
    return await opening;
  }

  const sharing = createEndpointSharing({
    pairing,
    endpoint,
    open: serve,
    listAddresses: ownAddresses,
  });
  const countClients = () => server?.countClients() ?? 0;
  return {
    live,
    face,
    serve,
    sharing,
    hostCommands: [createShareCommand(sharing), createClientsCommand({ pairing, countClients })],
    notices,
  };
}

function toServerOptions({ port, host, publicUrl, tls }: EndpointOptions): LiveServerOptions {
  return {
    port,
    host,
    ...(publicUrl !== undefined && { publicUrl }),
    ...(tls !== undefined && { tls }),
  };
}

/** Holds answers of other clients at the gate while the person at the terminal is answering. */
function holdAnswers(agent: AgentSession, gate: AnswerGate): AgentSession {
  return {
    ...agent,
    async handle(request, caller) {
      if (request.type === "answer" && caller.user !== TERMINAL_CALLER.user) {
        await Promise.all(request.answers.map(({ toolCallId }) => gate.settled(toolCallId)));
      }
      return await agent.handle(request, caller);
    },
  };
}

/**
 * Derives the modes that the status bar shows: the terminal's mode, and the clients whose mode asks less
 * often. If clients can join, the result also has the mode of new clients if that mode asks less often.
 */
function toStatusModes(
  { mode, startMode, others }: ModesReply,
  isServed: boolean,
): Pick<FaceStatus, "mode" | "freerClients" | "freerStart"> {
  return {
    mode,
    freerClients: others.filter((other) => isFreerMode(other.mode, mode)),
    ...(isServed && isFreerMode(startMode, mode) && { freerStart: startMode }),
  };
}

/** Returns a warning if the editor names MCP servers that an external agent does not get. */
function listUnusedServers({ client, externalAgent }: LiveFaceOptions): readonly string[] {
  const names = Object.keys(client?.mcpServers ?? {});
  if (externalAgent === undefined || names.length === 0) return [];
  const { name } = externalAgent;
  return [
    `${name} does not get the editor's MCP servers ${names.join(", ")}; configure them in ${name}`,
  ];
}

async function openAgent(
  {
    contextId,
    settings,
    ledger,
    budget,
    journal,
    openTaskId,
    interruption,
    isCredentialAlive,
  }: OpenAgentOptions,
  options: LiveFaceOptions & FaceLimits,
): Promise<AgentSession> {
  const { home, environment, model, mode, needsModel, client, editorFiles } = options;
  const { logger, onWarning, policy, defaultsFile } = options;
  return await openAgentSession({
    workspacePath: settings.workspacePath,
    home,
    environment,
    dataDirectory: sessionDirectory(contextId, options),
    agentDirectories: [dataPaths(environment, home).root],
    ledger,
    ...(budget !== undefined && { budget }),
    journal,
    hostCredential: TERMINAL_CALLER.credential,
    needsModel,
    isCredentialAlive: (credential) =>
      credential === TERMINAL_CALLER.credential || isCredentialAlive(credential),
    // The editor runs on this machine, so its MCP servers may have addresses on loopback.
    ...(client !== undefined && { client, isClientLocal: true, announcesWarnings: true }),
    warnings: listUnusedServers(options),
    ...(editorFiles !== undefined && { editorFiles }),
    policy,
    defaultsFile,
    flags: { ...(model !== undefined && { model }), ...(mode !== undefined && { mode }) },
    onWarning,
    ...(options.externalAgent !== undefined && { externalAgent: options.externalAgent }),
    onFault: (error) => logger.error({ error }, "the session stopped"),
    callAgent: async (call) => await (await import("@dt/client/call-agent")).callAgent(call),
    ...(openTaskId !== undefined && { openTaskId }),
    ...(interruption !== undefined && { interruption }),
  });
}
