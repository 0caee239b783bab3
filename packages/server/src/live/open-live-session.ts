import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { realpath } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import {
  type AgentSettings,
  type Caller,
  driveAgent,
  type OpenAgent,
  type SessionEvent,
  SetupError,
} from "@dt/schema";
import { type CredentialBook, createCredentialBook } from "../access/credential-book.js";
import type { Limits } from "../access/limits/limits.js";
import { type Clock, toClock } from "../clock.js";
import { toLoggedEvent } from "../log/logged-event.js";
import type { SharedSession } from "../rpc/tasks/shared-session.js";
import { deriveSecretKeys, type SecretKeyOptions } from "../secrets/secret-keys.js";
import { createSecretVault } from "../secrets/secret-vault.js";
import type { SessionHost } from "../sessions/session-host.js";
import { openSessionRegistry, type SessionRegistry } from "../sessions/session-registry.js";
import type { SessionStore } from "../store/session-store.js";
import { pullLiveEvents } from "./live-events.js";
import { createLiveHost } from "./live-host.js";
import type { LiveSession } from "./live-session.js";
import { createLiveServing } from "./serve-live.js";

/** Options of {@link openLiveSession}. */
export interface LiveSessionOptions extends Partial<Clock> {
  readonly openAgent: OpenAgent;
  /** Several live sessions may share a store. They do not close it. */
  readonly store: SessionStore;
  /** Settings of a new session. A resumed session keeps its stored settings. */
  readonly settings: AgentSettings;
  /** Session to resume. Default: a new one. */
  readonly contextId?: string;
  /** Keys that encrypt secrets of clients in the store. Default: such secrets stay in memory. */
  readonly secretKeys?: SecretKeyOptions | undefined;
  /** The user that owns the session. Default: "terminal". */
  readonly owner?: string;
  readonly limits?: Partial<Limits>;
  /** Called with every event of the session after its commit, and with live output. */
  readonly onEvent?: (event: SessionEvent) => void;
  /** Credentials of the clients that may join. An endpoint for several sessions uses one book for all its sessions. */
  readonly credentials?: CredentialBook;
  /** Called with faults of the session, for example if a commit fails. */
  readonly onFault?: (reason: unknown) => void;
}

/**
 * Opens one session in this process, new or resumed, with the one task that all clients share. Throws
 * {@link SetupError} if the session to resume does not exist, or is open already in this or another process.
 */
export async function openLiveSession(options: LiveSessionOptions): Promise<LiveSession> {
  const { shared: _, ...live } = await openSharedSession(options);
  return live;
}

/** A live session, and the form in which an endpoint serves it. */
export interface ServableSession extends LiveSession {
  shared(): Promise<SharedSession>;
}

/** Opens a live session for an endpoint; see {@link openLiveSession}. */
export async function openSharedSession(options: LiveSessionOptions): Promise<ServableSession> {
  const { store, owner = "terminal", contextId = randomUUID(), onFault = () => {} } = options;
  const caller = toOwner(owner);
  // The guide of the live endpoint uses the same id for the task and its session.
  const taskId = contextId;
  const clock = toClock(options);
  const { credentials = createCredentialBook(clock) } = options;
  const vault = createSecretVault(options.secretKeys && deriveSecretKeys(options.secretKeys));
  const sessions = openSessionRegistry({
    store,
    vault,
    keepsStoreOpen: true,
    ...clock,
    isCredentialAlive: credentials.isAlive,
    onFault,
    ...(options.limits !== undefined && { limits: options.limits }),
    ...(options.onEvent !== undefined && { onEvent: options.onEvent }),
    // Every agent gets the same open task, because this registry has only one session.
    openAgent: (agent) => options.openAgent({ ...agent, openTaskId: taskId }),
  });
  const first = await createOrResume(sessions, options, contextId).catch(
    async (reason: unknown) => {
      await sessions.close();
      throw reason;
    },
  );
  const { session } = first;
  const { cursors } = first.log;
  const closing = new AbortController();
  // Every subscriber adds a listener. Without this line, Node would warn about a leak.
  setMaxListeners(0, closing.signal);
  const host = createLiveHost({
    sessions,
    contextId,
    owner: caller,
    first,
    closing: closing.signal,
  });
  const serving = createLiveServing({
    session,
    taskId,
    store,
    sessions,
    credentials,
    vault,
    host,
  });
  const toPosition = (cursor: string | undefined) =>
    cursor === undefined ? 0 : cursors.decode(cursor).position;

  async function end(): Promise<void> {
    try {
      await (await host.current()).agent.finish(caller);
      // This pause lets subscribers send the last event before their connections close.
      await setImmediate();
    } finally {
      closing.abort();
      await serving.close();
      host.release();
      await deleteUnused({ store, sessions, contextId }).catch(onFault);
      await sessions.close();
    }
  }

  let ending: Promise<void> | undefined;
  return {
    contextId,
    taskId,
    session,
    shared: async () => ({ host: await host.current(), taskId }),
    agent: driveAgent({
      handle: async (request, sender) => await (await host.current()).handle(request, sender),
    }),
    async *events({ after, signal }) {
      const ended = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      yield* pullLiveEvents(host, toPosition(after), ended);
    },
    view: async () => await (await host.current()).log.view(taskId),
    async readEvents({ after, limit }) {
      const page = await store.readEvents({ contextId, after: toPosition(after), limit });
      return page.map(
        (logged) => toLoggedEvent(logged, { contextId, cursor: cursors.encode(logged) }).event,
      );
    },
    serve: async (serverOptions = {}) => await serving.serve(serverOptions),
    close() {
      ending ??= end();
      return ending;
    },
  };
}

/** Deletes a session that was never prompted. */
async function deleteUnused({
  store,
  sessions,
  contextId,
}: {
  readonly store: SessionStore;
  readonly sessions: SessionRegistry;
  readonly contextId: string;
}): Promise<void> {
  const stored = await store.findSession(contextId);
  if (stored !== undefined && stored.lastPrompt === undefined)
    await sessions.deleteSession(contextId);
}

async function createOrResume(
  sessions: SessionRegistry,
  { contextId: resumed, settings, owner = "terminal" }: LiveSessionOptions,
  contextId: string,
): Promise<SessionHost> {
  const caller = toOwner(owner);
  if (resumed === undefined) {
    // The real path is stored, because paths that clients send are compared with it. If the directory is
    // missing, its path is stored as it is, and the agent reports that the directory is missing.
    const { workspacePath } = settings;
    const real = await realpath(workspacePath).catch(() => workspacePath);
    const checked = { ...settings, workspacePath: real };
    return await sessions.createSession({ contextId, settings: checked }, caller);
  }
  const host = await sessions.findSession(resumed, caller);
  if (host === undefined) throw new SetupError(`there is no session ${resumed}`);
  await host.becomeOwner();
  return host;
}

function toOwner(user: string): Caller {
  return { user, name: user, role: "admin" };
}
