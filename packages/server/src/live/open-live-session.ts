import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { realpath } from "node:fs/promises";
import { setImmediate, setTimeout } from "node:timers/promises";
import {
  type AgentSettings,
  type Caller,
  driveAgent,
  isProtocolError,
  type OpenAgent,
  ProtocolError,
  type SessionEvent,
} from "@dt/schema";
import { createCredentialBook } from "../access/credential-book.js";
import type { Limits } from "../access/limits.js";
import { SetupError } from "../errors/setup-error.js";
import { follow } from "../log/follow.js";
import { toLoggedEvent } from "../log/logged-event.js";
import type { SessionLog } from "../log/session-log.js";
import { silentLogger } from "../logging/logger.js";
import type { AgentServer } from "../serving/agent-server-options.js";
import { checkHost } from "../serving/check-host.js";
import { toFaultLog } from "../serving/fault-log.js";
import type { SessionHost } from "../sessions/session-host.js";
import { openSessionRegistry, type SessionRegistry } from "../sessions/session-registry.js";
import type { SessionStore } from "../store/session-store.js";
import { createLivePush } from "./live-push.js";
import type { LiveSession } from "./live-session.js";

/** How long an observer waits before it looks again for a session that could not be opened. */
const REOPEN_MS = 50;
const MAX_REOPEN_MS = 5_000;

/** What a live session is opened with. */
export interface LiveSessionOptions {
  readonly openAgent: OpenAgent;
  /** Where the session is kept; closing the session closes it. */
  readonly store: SessionStore;
  /** Where a new session works, and with what; one that is resumed has its own. */
  readonly settings: AgentSettings;
  /** Resumes this session; without it, a new one begins. */
  readonly contextId?: string;
  /** The caller that owns it. Default: "terminal". */
  readonly owner?: string;
  readonly limits?: Partial<Limits>;
  /** Told of faults that are the server's own. */
  readonly onFault?: (reason: unknown) => void;
}

/**
 * Opens one session in this process, new or resumed, with the one task that everyone shares. Throws
 * {@link SetupError} where there is no session to resume, or another process has it open; the store is
 * closed then too.
 */
export async function openLiveSession(options: LiveSessionOptions): Promise<LiveSession> {
  const { store, owner = "terminal", contextId = randomUUID(), onFault = () => {} } = options;
  const caller = toOwner(owner);
  // The guide's task is the session itself: one id for both.
  const taskId = contextId;
  const credentials = createCredentialBook();
  const sessions = openSessionRegistry({
    store,
    isCredentialAlive: credentials.isAlive,
    onFault,
    ...(options.limits !== undefined && { limits: options.limits }),
    // The only session of this registry.
    openAgent: (agent) => options.openAgent({ ...agent, openTaskId: taskId }),
  });
  const first = await openFirst(sessions, options, contextId).catch(async (reason: unknown) => {
    await sessions.close();
    throw reason;
  });
  const closing = new AbortController();
  // Everyone who watches listens to it.
  setMaxListeners(0, closing.signal);
  const servers = new Set<AgentServer>();
  const livePush = createLivePush({ contextId, store, sessions });
  let known = first;
  // Whoever watches keeps it in memory, and so does whoever has it open.
  let unpin = first.log.observe(() => {});

  /** The session's host; another one, where a commit failed and the session was opened anew. */
  async function current(): Promise<SessionHost> {
    if (closing.signal.aborted) throw new ProtocolError("agent-busy", "the session is closed");
    const host = await sessions.findSession(contextId, caller);
    if (host === undefined) throw new SetupError(`there is no session ${contextId} any more`);
    if (host.log !== known.log) {
      unpin();
      unpin = host.log.observe(() => {});
      known = host;
    }
    return host;
  }

  const agent = driveAgent({
    handle: async (request, sender) => await (await current()).handle(request, sender),
  });

  /** The log to watch; undefined where the session cannot be opened for now: what stops it may pass. */
  async function currentLog(attempt: number, ended: AbortSignal): Promise<SessionLog | undefined> {
    if (attempt > 0) {
      const ms = Math.min(REOPEN_MS * 2 ** (attempt - 1), MAX_REOPEN_MS);
      await setTimeout(ms, undefined, { signal: ended }).catch(() => {});
    }
    return await current().then(
      ({ log }) => log,
      () => undefined,
    );
  }

  async function* events({
    after,
    signal,
  }: {
    readonly after?: string;
    readonly signal?: AbortSignal;
  }): AsyncGenerator<readonly SessionEvent[], void, undefined> {
    const ended = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
    let place = after === undefined ? 0 : first.log.cursors.decode(after).seq;
    for (let attempt = 0; !ended.aborted; attempt += 1) {
      const log = await currentLog(attempt, ended);
      if (log === undefined) continue;
      try {
        for await (const batch of follow(log, place, ended)) {
          attempt = 0;
          place = batch.events.at(-1)?.seq ?? place;
          yield [...batch.events, ...batch.live].map(({ event }) => event);
        }
      } catch (reason) {
        // The session was opened anew: what follows is read from there.
        if (!log.isClosed || !isProtocolError(reason)) throw reason;
      }
    }
  }

  async function forgetUnused(): Promise<void> {
    const stored = await store.findSession(contextId);
    if (stored !== undefined && stored.lastPrompt === undefined) await sessions.forget(contextId);
  }

  async function end(): Promise<void> {
    try {
      await (await current()).agent.finish(caller);
      // Whoever keeps up is sent the end before the goodbye.
      await setImmediate();
    } finally {
      closing.abort();
      await Promise.all([...servers].map((server) => server.close()));
      unpin();
      await forgetUnused().catch(onFault);
      await sessions.close();
    }
  }

  let ending: Promise<void> | undefined;
  return {
    contextId,
    taskId,
    session: first.session,
    agent,
    events,
    view: async () => await (await current()).log.view(taskId),
    async readEvents({ after, limit }) {
      const { cursors } = first.log;
      const place = after === undefined ? 0 : cursors.decode(after).seq;
      const page = await store.readEvents({ contextId, after: place, limit });
      return page.map(
        (logged) => toLoggedEvent(logged, { contextId, cursor: cursors.encode(logged) }).event,
      );
    },
    async serve(serving = {}) {
      checkHost(serving);
      const logger = serving.logger ?? silentLogger;
      const { startServer } = await import("../serving/start-server.js");
      const onServerFault = toFaultLog(logger, serving.onFault);
      const { pushes, close } = await livePush.open(serving, { logger, onFault: onServerFault });
      const server = await startServer({
        ...serving,
        onFault: onServerFault,
        store,
        sessions,
        credentials,
        ...(pushes !== undefined && { pushes }),
        // The session goes on when its server stops.
        lifecycle: { recover: nothing, sweep: nothing, drain: nothing, close },
        shared: async () => ({ host: await current(), taskId }),
        defaultSettings: first.session.settings,
        workspaceRoots: [first.session.settings.workspacePath],
      });
      servers.add(server);
      return {
        ...server,
        async close(closeOptions) {
          await server.close(closeOptions);
          servers.delete(server);
        },
      };
    },
    close() {
      ending ??= end();
      return ending;
    },
  };
}

async function openFirst(
  sessions: SessionRegistry,
  { contextId: resumed, settings, owner = "terminal" }: LiveSessionOptions,
  contextId: string,
): Promise<SessionHost> {
  const caller = toOwner(owner);
  if (resumed === undefined) {
    // As clients' are compared with it. One that is not there is for the agent to complain about.
    const { workspacePath } = settings;
    const real = await realpath(workspacePath).catch(() => workspacePath);
    const checked = { ...settings, workspacePath: real };
    return await sessions.createSession({ contextId, settings: checked }, caller);
  }
  const host = await sessions.findSession(resumed, caller);
  if (host === undefined) throw new SetupError(`there is no session ${resumed}`);
  await host.own();
  return host;
}

function toOwner(user: string): Caller {
  return { user, name: user, role: "admin" };
}

async function nothing(): Promise<void> {}
