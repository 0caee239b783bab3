import {
  type AccessChange,
  type Caller,
  isProtocolError,
  type OpenAgent,
  ProtocolError,
  type SessionEvent,
  type SessionSettings,
} from "@dt/schema";
import type { AccessedSession, SessionAccess } from "../access/grants/session-access.js";
import { DEFAULT_LIMITS, type Limits } from "../access/limits/limits.js";
import { checkSettingsSize } from "../access/limits/settings-size.js";
import { createTaskQuota, type TaskQuota } from "../access/limits/task-quota.js";
import { createTurnGate, type TurnGate } from "../access/limits/turn-gate.js";
import { roleOn } from "../access/role-on.js";
import { type Clock, toClock } from "../clock.js";
import { addLogContext } from "../logging/log-context.js";
import type { Metrics } from "../metrics/metrics.js";
import { createSecretVault, type SecretVault } from "../secrets/secret-vault.js";
import { forgetSettings, sealSettings } from "../secrets/session-secrets.js";
import type { Commit } from "../store/commit.js";
import { createGroupCommit, type GroupCommit } from "../store/group-commit.js";
import { LeaseHeld, LeaseLost } from "../store/lease.js";
import type { SessionStore, StoredReceipt, TaskRecord } from "../store/session-store.js";
import { limitTurns } from "./agent/limit-turns.js";
import { useSessionRole } from "./agent/use-session-role.js";
import type { RemoteCredentials } from "./instances/remote-credentials.js";
import { createSessionSharer } from "./instances/share-sessions.js";
import { createSessionEntries, type SessionEntries } from "./session-entries.js";
import { createSessionExpiry, type SessionExpiry } from "./session-expiry.js";
import { createSessionHost, type SessionHost, type SessionHostOptions } from "./session-host.js";
import { createSessionOpener, type SessionOpener } from "./session-opener.js";
import { createSessionSweeper } from "./session-sweeper.js";
import { toOwner, withdrawPrompts } from "./withdraw-prompts.js";

/** The sessions of a server. The sessions in use are in memory; the store has all sessions. */
export interface SessionRegistry {
  /** Finds a session by its id; undefined if it does not exist or the caller may not see it. */
  findSession(contextId: string, caller: Caller): Promise<SessionHost | undefined>;
  /** Finds the role of a caller in a session; undefined if the caller may not see it. */
  roleOn: SessionAccess["roleOn"];
  /** Finds a session in memory. Any user may own it. */
  findOpen(contextId: string): SessionHost | undefined;
  /** Gets a task and its session. Throws `task-not-found` if the task does not exist for the caller. */
  getTask(
    taskId: string,
    caller: Caller,
  ): Promise<{ readonly task: TaskRecord; readonly host: SessionHost }>;
  /** Finds a task in the store, without opening its session. Any user may own it. */
  findTask(taskId: string): Promise<TaskRecord | undefined>;
  /**
   * Creates a session, or finds the existing one. Throws if the caller may not use the existing one. A new session
   * is stored by its first commit.
   */
  createSession(
    options: {
      readonly contextId: string;
      readonly settings: SessionSettings;
      /** Key of the model for a new session. An existing session keeps its key. */
      readonly modelKey?: string;
    },
    caller: Caller,
  ): Promise<SessionHost>;
  /**
   * Replaces the model key of a session. If the new key differs and the session is not busy, the session is
   * closed, so that its next request opens an agent with the new key. The calling code must first check
   * that the session belongs to the client.
   */
  setModelKey(contextId: string, modelKey: string): Promise<void>;
  /** Tells the subscribers of a session that its access has changed. A fault is reported, and not thrown. */
  announceAccess(contextId: string, change: AccessChange): Promise<void>;
  /** Withdraws the waiting prompts of a user who has lost access to a session. */
  withdrawPrompts(key: { readonly contextId: string; readonly user: string }): Promise<void>;
  findReceipt(caller: Caller, messageId: string): Promise<StoredReceipt | undefined>;
  /** Calls `callback` with every commit after it was announced. Returns a function that unsubscribes. */
  subscribeToCommits(callback: (commit: Commit) => void): () => void;
  /** Becomes the owner of every session that a restart interrupted, so that its agent ends the interrupted tasks. */
  recover(): Promise<void>;
  /**
   * Removes unused sessions from memory, deletes expired sessions from the store, and ends interrupted tasks that could
   * not be ended before.
   */
  sweep(): Promise<void>;
  /** Deletes a session from memory and from the store. */
  deleteSession(contextId: string): Promise<void>;
  /** Refuses prompts from now on; resolves when no turn runs. */
  drain(): Promise<void>;
  readonly counters: SessionCounters;
  /** Stops every session; resolves when everything is committed. */
  close(): Promise<void>;
}

/** Figures of a registry. */
export interface SessionCounters {
  readonly inMemory: number;
  readonly working: number;
  readonly waitingPrompts: number;
  readonly queuedPrompts: number;
  readonly subscribers: number;
  /** Number of events that the slowest subscriber has not read. */
  readonly lag: number;
}

/** Options of {@link openSessionRegistry}. */
export interface SessionRegistryOptions extends Partial<Clock> {
  readonly openAgent: OpenAgent;
  /** The store of sessions. The registry closes it, unless `keepsStoreOpen` is set. */
  readonly store: SessionStore;
  /** True if the registry must not close the store. */
  readonly keepsStoreOpen?: boolean;
  /**
   * Returns true if a credential has not ended. Default: asks `access`; without `access`, every credential has ended.
   */
  readonly isCredentialAlive?: (credential: string) => boolean;
  /** Access by grants. Default: only owners have access. */
  readonly access?: SessionAccess;
  /** Credentials of clients of other instances. Absent if no other process shares the store. */
  readonly remoteCredentials?: RemoteCredentials | undefined;
  readonly limits?: Partial<Limits>;
  /** Keeps the secrets of clients. Default: in memory. */
  readonly vault?: SecretVault;
  readonly metrics?: Metrics;
  /** Called after a session was deleted, to delete files that the agent stored outside of the store. */
  readonly onSessionDeleted?: (contextId: string) => Promise<void>;
  /** Called with every event of every session after its commit, and with live output. */
  readonly onEvent?: (event: SessionEvent) => void;
  /** Called with faults, for example when a session could not be opened, committed or closed. */
  readonly onFault?: (reason: unknown) => void;
}

/** Parts of a registry that its functions share. */
interface RegistryParts {
  readonly options: SessionRegistryOptions;
  readonly clock: Clock;
  readonly gate: TurnGate;
  readonly quota: TaskQuota;
  readonly commits: GroupCommit;
  readonly entries: SessionEntries;
  readonly expiry: SessionExpiry;
  readonly subscribers: Set<(commit: Commit) => void>;
  /** Model keys that clients sent to this process, by the id of the session. */
  readonly modelKeys: Map<string, string>;
  readonly vault: SecretVault;
  readonly opener: SessionOpener;
  readonly hostOptions: SessionHostOptions;
  onFault(reason: unknown): void;
}

/** Opens a registry on a store. */
export function openSessionRegistry(options: SessionRegistryOptions): SessionRegistry {
  const { store } = options;
  const parts = createParts(options);
  const { clock, gate, commits, entries, opener, hostOptions, subscribers, modelKeys, vault } =
    parts;
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const findRole = options.access?.roleOn ?? roleOfOwner;
  const deleteSession = (contextId: string) => deleteEverywhere(contextId, parts);
  const sweep = createSessionSweeper({ ...parts, store, limits, deleteSession });
  const { instances } = store;
  const { remoteCredentials: credentials } = options;
  const sharer =
    instances &&
    createSessionSharer({ ...parts, ...clock, ...opener, instances, entries, credentials });

  return {
    async findSession(contextId, caller) {
      const host = await opener.find(contextId);
      const role = host && (await findRole(host.session, caller));
      return role === undefined ? undefined : host;
    },
    roleOn: findRole,
    findOpen: (contextId) => entries.get(contextId)?.host,
    async getTask(taskId, caller) {
      const task = await store.findTask(taskId);
      const isTheirs = task !== undefined && (await findRole(task, caller)) !== undefined;
      const host = isTheirs ? await opener.find(task.contextId) : undefined;
      if (task === undefined || host === undefined) {
        throw new ProtocolError("task-not-found", `there is no task ${taskId}`);
      }
      addLogContext({ contextId: task.contextId, taskId });
      return { task, host };
    },
    async createSession({ contextId, settings, modelKey }, caller) {
      await opener.find(contextId);
      // The gate is checked first, so that nothing is opened for a prompt that would be refused.
      if (entries.get(contextId) === undefined) gate.check(contextId, caller.user);
      const createdAt = clock.now().toISOString();
      const create = async () => {
        checkSettingsSize(settings);
        const sealed = sealSettings(settings, { contextId, modelKey }, vault);
        const session = { contextId, owner: caller.user, settings: sealed, createdAt };
        if (modelKey !== undefined) modelKeys.set(contextId, modelKey);
        return await createSessionHost(session, hostOptions).catch((reason: unknown) => {
          modelKeys.delete(contextId);
          forgetSettings(contextId, vault);
          throw reason;
        });
      };
      // Nothing is awaited between the lookup and the entry, so that two requests cannot both create the session.
      const entry = entries.get(contextId) ?? entries.open(contextId, create);
      const host = await entry.opening.catch(async (reason: unknown) => {
        // Another instance has created the session meanwhile.
        if (reason instanceof LeaseHeld) return await opener.find(contextId);
        throw reason;
      });
      const role = host && (await findRole(host.session, caller));
      if (host !== undefined && role !== undefined) return host;
      throw new ProtocolError("task-not-found", `there is no session ${contextId}`);
    },
    async setModelKey(contextId, modelKey) {
      const isKnown = modelKeys.get(contextId) === modelKey;
      modelKeys.set(contextId, modelKey);
      if (!isKnown && entries.get(contextId)?.host?.isBusy === false)
        await entries.release(contextId);
    },
    findTask: (taskId) => store.findTask(taskId),
    async announceAccess(contextId, change) {
      const announce = async () => {
        const host = await opener.find(contextId);
        await host?.agent.announceAccess(change, toOwner(host.session));
      };
      await announce().catch((reason: unknown) => {
        // The agent of an embedding program may not support this request.
        if (!isProtocolError(reason)) parts.onFault(reason);
      });
    },
    async withdrawPrompts({ contextId, user }) {
      const host = entries.get(contextId)?.host;
      if (host?.isOwned === true) await withdrawPrompts(user, host, store);
    },
    subscribeToCommits(callback) {
      subscribers.add(callback);
      return () => void subscribers.delete(callback);
    },
    findReceipt: ({ user }, messageId) => store.findReceipt(user, messageId),
    async recover() {
      await opener.recover();
      sharer?.start();
    },
    sweep,
    deleteSession,
    async drain() {
      gate.close();
      await sharer?.stop();
      await gate.waitUntilIdle();
    },
    get counters() {
      return countSessions(parts);
    },
    async close() {
      gate.close();
      if (sharer !== undefined) await sharer.stop();
      await entries.releaseAll();
      await commits.close();
      if (options.keepsStoreOpen !== true) await store.close();
    },
  };
}

async function roleOfOwner(session: AccessedSession, caller: Pick<Caller, "user" | "role">) {
  return roleOn(session, caller, []);
}

function createParts(options: SessionRegistryOptions): RegistryParts {
  const { store, metrics, onFault = () => {} } = options;
  const clock = toClock(options);
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const gate = createTurnGate(limits);
  const onReleased = gate.release;
  const entries = createSessionEntries({ clock, onReleased, onFault });
  const expiry = createSessionExpiry({ store, ttlMs: limits.sessionTtlMs, ...clock });
  const onUsed = (contextId: string) => {
    entries.touch(contextId);
    expiry.touch(contextId);
  };
  const hostOptions = () => parts.hostOptions;
  const opener = createSessionOpener({ store, entries, hostOptions, onUsed, onFault });
  const shared = {
    options,
    clock,
    gate,
    quota: createTaskQuota(store, limits, clock),
    commits: createGroupCommit({ store, clock, onCommit: metrics?.groupCommitted }),
    entries,
    expiry,
    subscribers: new Set<(commit: Commit) => void>(),
    modelKeys: new Map<string, string>(),
    vault: options.vault ?? createSecretVault(),
    opener,
    onFault,
  };
  const parts: RegistryParts = { ...shared, hostOptions: toHostOptions(shared, onUsed) };
  return parts;
}

function toHostOptions(
  parts: Omit<RegistryParts, "hostOptions">,
  onUsed: (contextId: string) => void,
): SessionHostOptions {
  const { options, gate, quota, entries, expiry, opener, subscribers, onFault } = parts;
  const { store, openAgent, metrics, onEvent, access } = options;
  const { isCredentialAlive = access?.isCredentialAlive ?? (() => false) } = options;
  const discard = (contextId: string) => deleteEverywhere(contextId, parts);
  const turnLimits = { gate, store, quota, discard };
  return {
    openAgent,
    isCredentialAlive,
    remoteCredentials: options.remoteCredentials,
    store,
    onEvent,
    onFault,
    commits: parts.commits,
    clock: parts.clock,
    metrics,
    interceptors: (session, log) => [
      ...(access === undefined ? [] : [useSessionRole(session, access)]),
      limitTurns({ session, log }, turnLimits),
    ],
    findInterruption: opener.findInterruption,
    findModelKey: (contextId) => parts.modelKeys.get(contextId),
    vault: parts.vault,
    onOwned: ({ contextId }) => opener.noteEnded(contextId),
    onBusyChange({ contextId, owner }, isBusy) {
      if (isBusy) gate.forceEnter(contextId, owner);
      else gate.release(contextId);
      onUsed(contextId);
    },
    onAnnounced(commit) {
      expiry.touch(commit.contextId);
      for (const subscriber of subscribers) subscriber(commit);
    },
    onDiverged: ({ contextId }) => void entries.release(contextId),
    onUnavailable: (_session, reason) => onFault(reason),
    onFailure({ contextId }, reason) {
      // If another process has taken the session over, that process ends the interrupted work.
      if (!(reason instanceof LeaseLost)) opener.noteRefused(contextId);
      onFault(reason);
      void entries.release(contextId);
    },
  };
}

async function deleteEverywhere(
  contextId: string,
  { options, entries, opener, quota, modelKeys, vault }: Omit<RegistryParts, "hostOptions">,
): Promise<void> {
  modelKeys.delete(contextId);
  forgetSettings(contextId, vault);
  await entries.release(contextId, async () => {
    await options.store.deleteSession(contextId);
    opener.noteEnded(contextId);
    await options.onSessionDeleted?.(contextId);
  });
  quota.reset();
}

function countSessions({ entries, gate }: RegistryParts): SessionCounters {
  const hosts = entries.hosts();
  return {
    inMemory: entries.size,
    working: gate.workingCount,
    waitingPrompts: gate.waitingCount,
    queuedPrompts: hosts.reduce((sum, { meter }) => sum + (meter?.queuedPrompts ?? 0), 0),
    subscribers: hosts.reduce((sum, { log }) => sum + log.subscribers.size, 0),
    lag: hosts.reduce((most, { log }) => Math.max(most, log.subscribers.lag), 0),
  };
}
