import { rm } from "node:fs/promises";
import path from "node:path";
import {
  type AgentSession,
  createTrust,
  describeMisspeltVariables,
  isFreerMode,
  openAgentSession,
  trustFile,
} from "@dt/agent-core";
import type { ModesReply, OpenAgentOptions, PermissionMode, SessionEvent } from "@dt/schema";
import {
  type AgentServer,
  type LiveSession,
  type Logger,
  openLiveSession,
  openSqliteStore,
  type SessionStore,
  SetupError,
} from "@dt/server";
import { createAnswerGate } from "./session/answer-gate.js";
import { type LocalSession, openLocalSession, TERMINAL_CALLER } from "./session/local-face.js";
import type { SessionStatus } from "./session/screen-session.js";
import { chooseSession, type ListedSession } from "./sessions/choose-session.js";
import { dataPaths } from "./sessions/data-paths.js";
import { version } from "./version.js";

/** Where sessions are kept. */
export interface CliPlace {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What a session of this terminal is opened with. */
export interface CliOptions extends CliPlace {
  readonly workspacePath: string;
  readonly model: string | undefined;
  readonly mode: PermissionMode | undefined;
  /** Whether a model must be set up; else the offline model answers. */
  readonly needsModel: boolean;
  /** Whether the person trusts the workspace from now on. */
  readonly isTrusted: boolean;
  /** Which session to go on with; undefined: a new one. */
  readonly resume: { readonly id: string | undefined } | undefined;
  /** Where others can join; undefined: nowhere. */
  readonly endpoint: { readonly port: number; readonly host: string } | undefined;
  readonly logger: Logger;
  readonly onWarning: (warning: string) => void;
  /** Sees every event of the session. */
  readonly onEvent?: (event: SessionEvent) => void;
}

/** The session of this terminal and everything that it stands on. Disposing ends all of it. */
export interface Cli extends AsyncDisposable {
  readonly session: LocalSession;
  readonly live: LiveSession;
}

const mostListed = 1000;

/** The variables that dt reads beside those of the settings. */
const ownVariables = ["DT_HOST", "DT_DATA_DIR"];

/** Opens a session on a directory, or goes on with one, and lets others join where that is wanted. */
export async function composeCli(options: CliOptions): Promise<Cli> {
  const { logger, endpoint, environment } = options;
  for (const warning of describeMisspeltVariables(environment, ownVariables)) {
    options.onWarning(warning);
  }
  const store = openStore(options, (error) => logger.error({ error }, "the store has a fault"));
  const resumed = await prepare(store, options);
  const gate = createAnswerGate();
  let agent: AgentSession | undefined;
  let server: AgentServer | undefined;
  const live = await openLiveSession({
    store,
    openAgent: async (opened) => {
      const session = await openAgent(opened, options);
      agent = session;
      return {
        ...session,
        async handle(request, caller) {
          if (request.type === "answer" && caller.user !== TERMINAL_CALLER.user) {
            await Promise.all(request.answers.map(({ toolCallId }) => gate.settled(toolCallId)));
          }
          return await session.handle(request, caller);
        },
      };
    },
    settings: { workspacePath: options.workspacePath, allowedTools: [], mcpServers: {} },
    ...(resumed !== undefined && { contextId: resumed.contextId }),
    onFault: (error) => logger.error({ error }, "fault"),
  });
  // Asked once: it lists every tool as well.
  const firstModel = agent?.metadata().model ?? "";
  const session = await openLocalSession({
    live,
    gate,
    directory: options.workspacePath,
    status: (modes) => ({
      model: agent?.snapshot().modelName ?? firstModel,
      ...toStatusModes(modes, server !== undefined),
      ...(server !== undefined && { endpoint: server.url, clients: server.countClients() }),
    }),
    ...(options.onEvent !== undefined && { onEvent: options.onEvent }),
  });
  try {
    if (endpoint !== undefined) {
      const onClientsChange = () => void session.notify();
      server = await live.serve({ ...endpoint, version, logger, onClientsChange });
    }
  } catch (reason) {
    await session.close();
    throw namePortFlag(reason);
  }
  return { session, live, [Symbol.asyncDispose]: () => session.close() };
}

/** Says which flag chooses the port, where that is what is wrong. */
function namePortFlag(reason: unknown): unknown {
  if (!(reason instanceof SetupError)) return reason;
  const { message, cause } = reason;
  if ((cause as NodeJS.ErrnoException | undefined)?.code !== "EADDRINUSE") return reason;
  return new SetupError(`${message}; choose another with --a2a-port, or 0 for any`, { cause });
}

/** The sessions that can be resumed, the last one first. */
export async function listSessions(place: CliPlace): Promise<readonly ListedSession[]> {
  const store = openStore(place);
  try {
    return await store.listSessions({ owner: "terminal", limit: mostListed });
  } finally {
    await store.close();
  }
}

/**
 * Forgets the session whose id begins so, with its outputs and checkpoints. Throws a SetupError where
 * there is none, or someone has it open.
 */
export async function deleteSession(
  id: string,
  place: CliPlace & { readonly workspacePath: string },
): Promise<ListedSession> {
  const store = openStore(place);
  try {
    const sessions = await store.listSessions({ owner: "terminal", limit: mostListed });
    const chosen = chooseSession(sessions, { id, workspacePath: place.workspacePath });
    const lease = await store.acquire(chosen.contextId);
    await store.deleteSession(chosen.contextId);
    await rm(sessionDirectory(chosen.contextId, place), { recursive: true, force: true });
    await lease.release();
    return chosen;
  } finally {
    await store.close();
  }
}

/** Where a session keeps its long outputs and its checkpoints. */
function sessionDirectory(contextId: string, { environment, home }: CliPlace): string {
  return path.join(dataPaths(environment, home).sessions, encodeURIComponent(contextId));
}

function openStore(
  { environment, home }: CliPlace,
  onFault: (error: Error) => void = () => {},
): SessionStore {
  // Shared, since there may be a dt in every terminal.
  return openSqliteStore({ file: dataPaths(environment, home).database, isShared: true, onFault });
}

/** Shows the terminal's own mode, and clients that act more freely. */
function toStatusModes(
  { mode, startMode, others }: ModesReply,
  isServed: boolean,
): Pick<SessionStatus, "mode" | "freerClients" | "freerStart"> {
  return {
    mode,
    freerClients: others.filter((other) => isFreerMode(other.mode, mode)),
    ...(isServed && isFreerMode(startMode, mode) && { freerStart: startMode }),
  };
}

/** Finds the session to go on with, if there is to be one, and trusts its workspace if the person does. */
async function prepare(
  store: SessionStore,
  { resume, workspacePath, isTrusted, home }: CliOptions,
): Promise<ListedSession | undefined> {
  try {
    const resumed =
      resume &&
      chooseSession(await store.listSessions({ owner: "terminal", limit: mostListed }), {
        id: resume.id,
        workspacePath,
      });
    if (isTrusted) {
      const trust = createTrust({ file: trustFile(home) });
      await trust.trust(resumed?.settings.workspacePath ?? workspacePath);
    }
    return resumed;
  } catch (reason) {
    await store.close();
    throw reason;
  }
}

async function openAgent(
  {
    contextId,
    settings,
    ledger,
    journal,
    openTaskId,
    interruption,
    isCredentialAlive,
  }: OpenAgentOptions,
  options: CliOptions,
): Promise<AgentSession> {
  const { home, environment, model, mode, needsModel, logger, onWarning } = options;
  return await openAgentSession({
    workspacePath: settings.workspacePath,
    home,
    environment,
    dataDirectory: sessionDirectory(contextId, options),
    agentDirectories: [dataPaths(environment, home).root],
    ledger,
    journal,
    hostCredential: TERMINAL_CALLER.credential,
    needsModel,
    isCredentialAlive: (credential) =>
      credential === TERMINAL_CALLER.credential || isCredentialAlive(credential),
    flags: { ...(model !== undefined && { model }), ...(mode !== undefined && { mode }) },
    onWarning,
    onFault: (error) => logger.error({ error }, "the session stopped"),
    ...(openTaskId !== undefined && { openTaskId }),
    ...(interruption !== undefined && { interruption }),
  });
}
