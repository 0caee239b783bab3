import {
  type AgentDriver,
  type AgentPort,
  driveAgent,
  type OpenAgent,
  openQuestions,
  type TaskState,
  type TaskView,
} from "@dt/schema";
import { readTaskView } from "../log/read-task-view.js";
import { openSessionLog, type SessionLog } from "../log/session-log.js";
import { withLogContext } from "../logging/log-context.js";
import type { Metrics } from "../metrics/metrics.js";
import { createSessionMeter, type SessionMeter } from "../metrics/session-meter.js";
import type { GroupCommit } from "../store/group-commit.js";
import type { Commit, SessionRecord, SessionStore, TaskRecord } from "../store/session-store.js";
import { type Interceptor, intercept } from "./intercept.js";
import { createReadOnlyAgent } from "./read-only-agent.js";
import { createUnavailableAgent } from "./unavailable-agent.js";

/** One session: its agent, and the log that the agent writes and everyone reads. */
export interface SessionHost {
  readonly session: SessionRecord;
  /** Asks the agent for something; refusals are data. */
  readonly handle: AgentPort["handle"];
  /** Asks the agent for something; refusals are thrown. */
  readonly agent: AgentDriver;
  /** Closes the agent; the log stays open. */
  close(): Promise<void>;
  readonly log: SessionLog;
  /** What is measured of it, where anyone counts. */
  readonly meter?: SessionMeter;
  /** Whether the store took no commits when it was opened: it can be read, and nothing else. */
  readonly isReadOnly?: boolean;
}

/** What is said of work that stopped because the store refused a commit. */
const NOT_STORED = "interrupted because a step of the session could not be stored";

/** What hosts are opened with. */
export interface SessionHostOptions {
  readonly openAgent: OpenAgent;
  readonly store: SessionStore;
  readonly commits: GroupCommit;
  readonly metrics?: Metrics | undefined;
  isCredentialAlive(credential: string): boolean;
  /** Wrap the agent of a session. */
  interceptors(session: SessionRecord, log: SessionLog): readonly Interceptor[];
  onBusyChange(session: SessionRecord, isBusy: boolean): void;
  /** Told of every commit, once it is durable and announced. */
  onAnnounced(commit: Commit): void;
  /** Told when a commit failed: the session must be closed, and opened again from the store. */
  onFailure(session: SessionRecord, reason: unknown): void;
  /** Told when a stored session could not be opened; its log can be read all the same. */
  onUnavailable(session: SessionRecord, reason: unknown): void;
}

/** Opens a session that is not stored yet; its first commit stores it. */
export async function createSessionHost(
  session: SessionRecord,
  options: SessionHostOptions,
): Promise<SessionHost> {
  const standing = { unfinished: [], asking: [] };
  return await openHost(session, { lastSeq: 0, isNew: true, standing, wasRefused: false }, options);
}

/** Opens a session from the store, or gives undefined where there is none. */
export async function restoreSessionHost(
  contextId: string,
  options: SessionHostOptions,
  { wasRefused = false } = {},
): Promise<SessionHost | undefined> {
  const stored = await options.store.findSession(contextId);
  if (stored === undefined) return undefined;
  const { lastSeq, lastActiveAt: _, ...session } = stored;
  const standing = await readStanding(session, options.store);
  const { unfinished, asking } = standing;
  const fault = await findFault(options.store);
  if (fault !== undefined) return openReadOnly(session, { lastSeq, standing, fault }, options);
  if (unfinished.length > 0 && asking.length === 0) options.onBusyChange(session, true);
  try {
    return await openHost(session, { lastSeq, isNew: false, standing, wasRefused }, options);
  } catch (error) {
    options.onBusyChange(session, false);
    throw error;
  }
}

/** Why the store takes no commits at the moment; undefined if it does. */
async function findFault(store: SessionStore): Promise<{ readonly reason: unknown } | undefined> {
  return await store.check().then(
    () => undefined,
    (reason: unknown) => ({ reason }),
  );
}

// Opening its agent would write: what was going on would be ended, which the store cannot take.
function openReadOnly(
  session: SessionRecord,
  place: {
    readonly lastSeq: number;
    readonly standing: Standing;
    readonly fault: { readonly reason: unknown };
  },
  { store, commits }: SessionHostOptions,
): SessionHost {
  const { lastSeq, standing, fault } = place;
  const log = openSessionLog({
    session,
    lastSeq,
    isNew: false,
    unfinished: standing.unfinished.map(({ taskId }) => taskId),
    asking: standing.asking.map(({ taskId }) => taskId),
    store,
    lane: commits.openLane(),
  });
  const agent = createReadOnlyAgent(fault.reason);
  return { session, ...toDriver(agent), log, isReadOnly: true };
}

async function openHost(
  session: SessionRecord,
  place: {
    readonly lastSeq: number;
    readonly isNew: boolean;
    readonly standing: Standing;
    /** Whether it stopped because a commit of it was refused, and not by a restart. */
    readonly wasRefused: boolean;
  },
  options: SessionHostOptions,
): Promise<SessionHost> {
  const { openAgent, store, commits, onBusyChange, onFailure, onUnavailable } = options;
  const { isCredentialAlive } = options;
  const { contextId, settings } = session;
  const meter = options.metrics && createSessionMeter(options.metrics);
  const { lastSeq, isNew, standing } = place;
  const unfinished = standing.unfinished.map(({ taskId }) => taskId);
  for (const view of [...standing.unfinished, ...standing.asking]) meter?.resume(view);
  const log = openSessionLog({
    session,
    lastSeq,
    isNew,
    unfinished,
    asking: standing.asking.map(({ taskId }) => taskId),
    store,
    lane: commits.openLane(),
    onBusyChange: (isBusy) => onBusyChange(session, isBusy),
    onAnnounced: options.onAnnounced,
    ...(meter !== undefined && { onCommitted: meter.take }),
    onFailure: (reason) => onFailure(session, reason),
  });
  const journal = isNew ? [] : await store.readJournal(contextId);
  const interruption = place.wasRefused ? { interruption: NOT_STORED } : {};
  const open = () =>
    openAgent({ contextId, settings, ledger: log, journal, isCredentialAlive, ...interruption });
  const agent = await withLogContext({ contextId }, open).catch(async (reason: unknown) => {
    if (isNew) throw reason;
    // What has happened can still be read, and what was going on is over.
    onUnavailable(session, reason);
    return await createUnavailableAgent({ reason, log, unfinished });
  });
  const wrapped = intercept(agent, options.interceptors(session, log));
  return { session, ...toDriver(wrapped), log, ...(meter !== undefined && { meter }) };
}

function toDriver(agent: AgentPort): Pick<SessionHost, "handle" | "agent" | "close"> {
  return { handle: agent.handle, agent: driveAgent(agent), close: () => agent.close() };
}

/** What was going on in a session: the tasks that have not ended and do not only rest. */
interface Standing {
  /** Those that a restart interrupted, or that wait for their turn. */
  readonly unfinished: readonly TaskView[];
  /** Those that wait for an answer. */
  readonly asking: readonly TaskView[];
}

/** Whether a stored session waits for someone's answer. */
export async function hasOpenQuestion(contextId: string, store: SessionStore): Promise<boolean> {
  const session = await store.findSession(contextId);
  if (session === undefined) return false;
  return (await readStanding(session, store)).asking.length > 0;
}

async function readStanding(session: SessionRecord, store: SessionStore): Promise<Standing> {
  const read = async (state: TaskState) =>
    await Promise.all(
      (await listTasks(session, state, store)).map((task) => readTaskView(store, task)),
    );
  const [submitted, working, resting] = await Promise.all([
    read("submitted"),
    read("working"),
    read("input-required"),
  ]);
  // A shared task rests without a question between its turns.
  const asking = resting.filter((view) => openQuestions(view).length > 0);
  return { unfinished: [...submitted, ...working], asking };
}

async function listTasks(
  { owner, contextId }: SessionRecord,
  state: TaskState,
  store: SessionStore,
): Promise<readonly TaskRecord[]> {
  const limit = Number.MAX_SAFE_INTEGER;
  return (await store.listTasks({ owner, contextId, state, limit })).tasks;
}
