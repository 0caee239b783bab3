import type { OpenAgent, SessionSettings } from "@dt/schema";
import { type Caller, ProtocolError } from "@dt/schema";
import { defaultLimits, type Limits } from "../access/limits.js";
import { roleOn } from "../access/role-on.js";
import { createTaskQuota } from "../access/task-quota.js";
import { createTurnGate } from "../access/turn-gate.js";
import { addLogContext } from "../logging/log-context.js";
import type { Metrics } from "../metrics/metrics.js";
import { createGroupCommit } from "../store/group-commit.js";
import type { Commit, SessionStore, StoredReceipt, TaskRecord } from "../store/session-store.js";
import { findEvictable } from "./find-evictable.js";
import { limitTurns, type TurnStartLimits } from "./limit-turns.js";
import { createSessionExpiry } from "./session-expiry.js";
import {
  createSessionHost,
  hasOpenQuestion,
  restoreSessionHost,
  type SessionHost,
  type SessionHostOptions,
} from "./session-host.js";

/** The sessions of a server: in memory while they are used, in the store always. */
export interface SessionRegistry {
  /** The session of a context, from the store if need be; undefined where the caller has none. */
  findSession(contextId: string, caller: Caller): Promise<SessionHost | undefined>;
  /** A task and its session; throws `task-not-found`, also where the task is someone else's. */
  getTask(
    taskId: string,
    caller: Caller,
  ): Promise<{ readonly task: TaskRecord; readonly host: SessionHost }>;
  /** A task as it is stored, whoever owns it; its session is not opened. */
  findTask(taskId: string): Promise<TaskRecord | undefined>;
  /** Makes a session, or joins the one that is there; nothing is stored before its first prompt is. */
  createSession(
    options: { readonly contextId: string; readonly settings: SessionSettings },
    caller: Caller,
  ): Promise<SessionHost>;
  findReceipt(caller: Caller, messageId: string): Promise<StoredReceipt | undefined>;
  /** Calls back with every commit, once it is durable and announced; returns how to stop that. */
  observeCommits(callback: (commit: Commit) => void): () => void;
  /** Opens every session that a restart interrupted, so that its tasks say so. */
  recover(): Promise<void>;
  /** Lets go of sessions that nobody uses, and forgets those whose time has come. */
  sweep(): Promise<void>;
  /** Takes a session out of memory and out of the store. */
  forget(contextId: string): Promise<void>;
  /** Refuses prompts from now on; resolves when no turn runs any more. */
  drain(): Promise<void>;
  readonly counters: SessionCounters;
  /** Stops every session; resolves when all is committed. */
  close(): Promise<void>;
}

/** What a registry has to do at the moment. */
export interface SessionCounters {
  readonly inMemory: number;
  readonly working: number;
  readonly waitingPrompts: number;
  readonly queuedPrompts: number;
  readonly observers: number;
  /** How many events the observer that lags most has not read. */
  readonly lag: number;
}

/** What a registry is opened with. */
export interface SessionRegistryOptions {
  readonly openAgent: OpenAgent;
  /** Where sessions are kept; the registry closes it. */
  readonly store: SessionStore;
  /** Whether a credential has not ended. Default: every one has. */
  readonly isCredentialAlive?: (credential: string) => boolean;
  readonly limits?: Partial<Limits>;
  readonly metrics?: Metrics;
  readonly now?: () => Date;
  /** Milliseconds that have elapsed since some moment, whatever the wall clock does. */
  readonly elapsedMs?: () => number;
  /** Removes what the agent keeps of a session beside the store. */
  readonly onForgotten?: (contextId: string) => Promise<void>;
  /** Told when a session could not be committed or closed. */
  readonly onFault?: (reason: unknown) => void;
}

interface Entry {
  readonly opening: Promise<SessionHost | undefined>;
  host?: SessionHost;
  /** In elapsed milliseconds. */
  usedAt: number;
}

/** Opens a registry on a store. */
export function openSessionRegistry(options: SessionRegistryOptions): SessionRegistry {
  const { openAgent, store, now = () => new Date() } = options;
  const { elapsedMs = () => performance.now() } = options;
  const { onFault = () => {} } = options;
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const { metrics } = options;
  const commits = createGroupCommit(store, metrics?.groupCommitted);
  const gate = createTurnGate(limits);
  const quota = createTaskQuota(store, limits);
  const turnLimits: TurnStartLimits = { gate, store, quota, discard: forget };
  const expiry = createSessionExpiry({ store, ttlMs: limits.sessionTtlMs, now, elapsedMs });
  const entries = new Map<string, Entry>();
  const commitObservers = new Set<(commit: Commit) => void>();
  // Sessions on their way out: whoever wants one back waits until it is gone.
  const leaving = new Map<string, Promise<void>>();
  // Sessions that a refused commit closed, until they are opened again.
  const refused = new Set<string>();

  const hostOptions: SessionHostOptions = {
    openAgent,
    isCredentialAlive: options.isCredentialAlive ?? (() => false),
    store,
    commits,
    metrics,
    interceptors: (session, log) => [limitTurns({ session, log }, turnLimits)],
    onBusyChange({ contextId, owner }, isBusy) {
      if (isBusy) gate.hold(contextId, owner);
      else gate.release(contextId);
      touch(contextId);
    },
    onAnnounced(commit) {
      expiry.touch(commit.contextId);
      for (const observer of commitObservers) observer(commit);
    },
    onUnavailable(_session, reason) {
      onFault(reason);
    },
    onFailure({ contextId }, reason) {
      refused.add(contextId);
      onFault(reason);
      void letGo(contextId);
    },
  };

  function touch(contextId: string): void {
    const entry = entries.get(contextId);
    if (entry === undefined) return;
    entry.usedAt = elapsedMs();
    expiry.touch(contextId);
  }

  function keep(contextId: string, open: () => Promise<SessionHost | undefined>): Entry {
    const opening = open();
    const entry: Entry = { opening, usedAt: elapsedMs() };
    entries.set(contextId, entry);
    touch(contextId);
    const forget = () => {
      if (entries.get(contextId) === entry) entries.delete(contextId);
    };
    opening.then((host) => {
      if (host === undefined) forget();
      else entry.host = host;
    }, forget);
    return entry;
  }

  /** Lets go of a session that could only be read, once the store takes commits again. */
  async function retryReadOnly(contextId: string): Promise<void> {
    const known = entries.get(contextId);
    if (known?.host?.isReadOnly !== true) return;
    const isWritable = await store.check().then(
      () => true,
      () => false,
    );
    if (isWritable && entries.get(contextId) === known) void letGo(contextId);
  }

  async function findHost(contextId: string): Promise<SessionHost | undefined> {
    await retryReadOnly(contextId);
    const known = entries.get(contextId);
    if (known !== undefined) {
      touch(contextId);
      return await known.opening;
    }
    const open = async () => {
      await leaving.get(contextId);
      const wasRefused = refused.has(contextId);
      const host = await restoreSessionHost(contextId, hostOptions, { wasRefused });
      // A session that can only be read has not been told yet why it stopped.
      if (host?.isReadOnly !== true) refused.delete(contextId);
      return host;
    };
    return await keep(contextId, open).opening;
  }

  /** Takes a session out of memory; what it had not committed is not there any more. */
  function letGo(contextId: string, last: () => Promise<void> = async () => {}): Promise<void> {
    const entry = entries.get(contextId);
    entries.delete(contextId);
    const before = leaving.get(contextId);
    const left = (async () => {
      await before;
      await closeEntry(entry).catch(onFault);
      gate.release(contextId);
      await last();
    })();
    const gone = left.finally(() => {
      if (leaving.get(contextId) === gone) leaving.delete(contextId);
    });
    leaving.set(contextId, gone);
    return gone;
  }

  /** Opens the sessions whose commits were refused, so that their tasks do not seem to go on. */
  async function reopenRefused(): Promise<void> {
    if (refused.size === 0) return;
    const isSound = await store.check().then(
      () => true,
      () => false,
    );
    if (!isSound) return;
    for (const contextId of [...refused]) await findHost(contextId).catch(onFault);
  }

  async function forget(contextId: string): Promise<void> {
    await letGo(contextId, async () => {
      await store.deleteSession(contextId);
      refused.delete(contextId);
      await options.onForgotten?.(contextId);
    });
    quota.recount();
  }

  async function forgetExpired(): Promise<void> {
    for (const contextId of await expiry.findExpired()) {
      const log = entries.get(contextId)?.host?.log;
      if (log?.isResting === false || (log?.observers ?? 0) > 0) continue;
      try {
        // A person is asked: that is over when it is answered or cancelled, not after some time.
        if (!(await hasOpenQuestion(contextId, store))) await forget(contextId);
      } catch (reason) {
        // A damaged session must not keep the others.
        onFault(reason);
      }
    }
  }

  return {
    async findSession(contextId, caller) {
      const host = await findHost(contextId);
      return host !== undefined && roleOn(host.session, caller) !== undefined ? host : undefined;
    },
    async getTask(taskId, caller) {
      const task = await store.findTask(taskId);
      const isTheirs = task !== undefined && roleOn(task, caller) !== undefined;
      const host = isTheirs ? await findHost(task.contextId) : undefined;
      if (task === undefined || host === undefined) {
        throw new ProtocolError("task-not-found", `there is no task ${taskId}`);
      }
      addLogContext({ contextId: task.contextId, taskId });
      return { task, host };
    },
    async createSession({ contextId, settings }, caller) {
      await findHost(contextId);
      // Before anything is opened for a prompt that would be refused.
      if (!entries.has(contextId)) gate.check(contextId, caller.user);
      // Nothing is awaited between this look and the entry: whoever else makes it joins, or is refused.
      const session = { contextId, owner: caller.user, settings, createdAt: now().toISOString() };
      const create = () => createSessionHost(session, hostOptions);
      const host = await (entries.get(contextId) ?? keep(contextId, create)).opening;
      if (host !== undefined && roleOn(host.session, caller) !== undefined) return host;
      throw new ProtocolError("invalid-message", `contextId: ${contextId} is already in use`);
    },
    findTask: (taskId) => store.findTask(taskId),
    observeCommits(callback) {
      commitObservers.add(callback);
      return () => void commitObservers.delete(callback);
    },
    findReceipt: ({ user }, messageId) => store.findReceipt(user, messageId),
    async recover() {
      for (const contextId of await store.listUnfinished()) {
        // One that cannot be opened must not keep the others from being served.
        await findHost(contextId).catch(onFault);
      }
    },
    async sweep() {
      const uses = [...entries].flatMap(([contextId, { host, usedAt }]) => {
        if (host === undefined) return [];
        const { isBusy, observers } = host.log;
        return [{ contextId, usedAt, isBusy, observers }];
      });
      const evictable = findEvictable(uses, elapsedMs(), limits);
      await Promise.all(evictable.map((contextId) => letGo(contextId)));
      // What a full disk kept from being opened is opened now, so that its tasks come to an end.
      for (const [contextId, { host }] of entries) {
        if (host?.isReadOnly === true) await findHost(contextId).catch(onFault);
      }
      await forgetExpired();
      await reopenRefused();
    },
    forget,
    async drain() {
      gate.close();
      await gate.idle();
    },
    get counters() {
      const hosts = [...entries.values()].flatMap(({ host }) => host ?? []);
      return {
        inMemory: entries.size,
        working: gate.working,
        waitingPrompts: gate.waiting,
        queuedPrompts: hosts.reduce((sum, { meter }) => sum + (meter?.queued ?? 0), 0),
        observers: hosts.reduce((sum, { log }) => sum + log.observers, 0),
        lag: hosts.reduce((most, { log }) => Math.max(most, log.lag), 0),
      };
    },
    async close() {
      gate.close();
      await Promise.allSettled([...entries.keys()].map((contextId) => letGo(contextId)));
      await Promise.allSettled(leaving.values());
      await commits.close();
      await store.close();
    },
  };
}

async function closeEntry(entry: Entry | undefined): Promise<void> {
  const host = await entry?.opening.catch(() => undefined);
  if (host === undefined) return;
  const wasClosed = host.log.isClosed;
  try {
    await host.close();
  } catch (reason) {
    // An agent whose ledger has failed may say so again.
    if (!wasClosed) throw reason;
  } finally {
    host.log.close();
  }
}
