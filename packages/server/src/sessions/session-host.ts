import type { StampedEvent, TaskState, ViewItem } from "@dt/schema";
import type { AgentPort, OpenAgent } from "../agent-port.js";
import { isAsking, openSessionLog, type SessionLog } from "../log/session-log.js";
import { withLogContext } from "../logging/log-context.js";
import type { Metrics } from "../metrics/metrics.js";
import { createSessionMeter, type SessionMeter } from "../metrics/session-meter.js";
import type { GroupCommit } from "../store/group-commit.js";
import type { Commit, SessionRecord, SessionStore, TaskRecord } from "../store/session-store.js";
import { createUnavailableAgent } from "./unavailable-agent.js";

/** One session: its agent, and the log that the agent writes and everyone reads. */
export interface SessionHost {
  readonly session: SessionRecord;
  readonly agent: AgentPort;
  readonly log: SessionLog;
  /** What is measured of it, where anyone counts. */
  readonly meter?: SessionMeter;
}

/** What hosts are opened with. */
export interface SessionHostOptions {
  readonly openAgent: OpenAgent;
  readonly store: SessionStore;
  readonly commits: GroupCommit;
  readonly metrics?: Metrics | undefined;
  onBusyChange(session: SessionRecord, isBusy: boolean): void;
  /** Told of every commit, once it is durable and announced. */
  onAnnounced(commit: Commit): void;
  /** Told when a commit failed: the session must be closed, and opened again from the store. */
  onFailure(session: SessionRecord, reason: unknown): void;
  /** Told when a stored session could not be opened; its log can be read all the same. */
  onUnavailable(session: SessionRecord, reason: unknown): void;
}

/** How many events are read at a time. */
const PAGE = 256;

/** Opens a session that is not stored yet; its first commit stores it. */
export async function createSessionHost(
  session: SessionRecord,
  options: SessionHostOptions,
): Promise<SessionHost> {
  return await openHost(session, { lastSeq: 0, isNew: true, unfinished: [] }, options);
}

/** Opens a session from the store, or gives undefined where there is none. */
export async function restoreSessionHost(
  contextId: string,
  options: SessionHostOptions,
): Promise<SessionHost | undefined> {
  const stored = await options.store.findSession(contextId);
  if (stored === undefined) return undefined;
  const { lastSeq, lastActiveAt: _, ...session } = stored;
  const unfinished = await findUnfinished(session, options.store);
  const asking = await findAsking(session, options.store);
  if (unfinished.length > 0 && asking.length === 0) options.onBusyChange(session, true);
  try {
    return await openHost(session, { lastSeq, isNew: false, unfinished, asking }, options);
  } catch (error) {
    options.onBusyChange(session, false);
    throw error;
  }
}

async function openHost(
  session: SessionRecord,
  place: {
    readonly lastSeq: number;
    readonly isNew: boolean;
    readonly unfinished: readonly string[];
    readonly asking?: readonly string[];
  },
  options: SessionHostOptions,
): Promise<SessionHost> {
  const { openAgent, store, commits, onBusyChange, onFailure, onUnavailable } = options;
  const { contextId, settings } = session;
  const meter = options.metrics && createSessionMeter(options.metrics, findAskedAt);
  const log = openSessionLog({
    session,
    ...place,
    store,
    lane: commits.openLane(),
    onBusyChange: (isBusy) => onBusyChange(session, isBusy),
    onAnnounced: options.onAnnounced,
    ...(meter !== undefined && { onCommitted: meter.take }),
    onFailure: (reason) => onFailure(session, reason),
  });
  async function findAskedAt(taskId: string, toolCallId: string): Promise<string | undefined> {
    const { items } = await log.view(taskId);
    return items.find((item) => toolCallIdOf(item) === toolCallId)?.at;
  }
  const journal = place.isNew ? [] : await store.readJournal(contextId);
  const open = () => openAgent({ contextId, settings, ledger: log, journal });
  const agent = await withLogContext({ contextId }, open).catch(async (reason: unknown) => {
    if (place.isNew) throw reason;
    // What has happened can still be read, and what was going on is over.
    onUnavailable(session, reason);
    return await createUnavailableAgent({ reason, log, unfinished: place.unfinished });
  });
  return { session, agent, log, ...(meter !== undefined && { meter }) };
}

function toolCallIdOf({ event }: ViewItem): string | undefined {
  return event.kind === "TOOL_CALL_UPDATE" ? event.toolCall.toolCallId : undefined;
}

/** The tasks that a restart interrupted, or that wait for their turn. */
async function findUnfinished(
  session: SessionRecord,
  store: SessionStore,
): Promise<readonly string[]> {
  const states = ["submitted", "working"] as const;
  const found = await Promise.all(states.map((state) => listTasks(session, state, store)));
  return found.flat().map(({ taskId }) => taskId);
}

/** The tasks that wait for an answer, and do not only rest: a shared task does that as well. */
async function findAsking(session: SessionRecord, store: SessionStore): Promise<readonly string[]> {
  const waiting = await listTasks(session, "input-required", store);
  const asking = await Promise.all(
    waiting.map(async (task) => ({ task, last: await readLastChange(task, store) })),
  );
  return asking.flatMap(({ task, last }) =>
    last !== undefined && isAsking(last) ? [task.taskId] : [],
  );
}

async function listTasks(
  { owner, contextId }: SessionRecord,
  state: TaskState,
  store: SessionStore,
): Promise<readonly TaskRecord[]> {
  const limit = Number.MAX_SAFE_INTEGER;
  return (await store.listTasks({ owner, contextId, state, limit })).tasks;
}

async function readLastChange(
  { contextId, taskId, lastSeq }: TaskRecord,
  store: SessionStore,
): Promise<StampedEvent | undefined> {
  const kinds = { only: ["STATE_CHANGE"] as const, upTo: lastSeq };
  let last: StampedEvent | undefined;
  let after = 0;
  for (;;) {
    const page = await store.readEvents({ contextId, taskId, after, limit: PAGE, kinds });
    const end = page.at(-1);
    if (end === undefined) return last;
    last = end.event;
    after = end.seq;
  }
}
