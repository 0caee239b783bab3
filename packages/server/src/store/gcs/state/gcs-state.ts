import type { BudgetAmount, JsonObject } from "@dt/schema";
import type { AuditRecord } from "../../audit-store.js";
import type { Commit, SessionHead } from "../../commit.js";
import type { GrantRecord } from "../../grant-store.js";
import { findLastPrompt } from "../../last-prompt.js";
import type { Reservation } from "../../memory/memory-budgets.js";
import { applyTasks, receiptKey } from "../../memory/memory-state.js";
import type { PushRecord } from "../../push-record.js";
import type { LogEvent, StoredReceipt, StoredSession, TaskRecord } from "../../session-store.js";
import { ShardedMap } from "./sharded-map.js";

/** A reference to an object with commits of one session, which were moved out of the log. */
export interface SegmentRef {
  readonly name: string;
  /** Position of the last event before the segment. */
  readonly after: number;
  /** Position of the last event in the segment. */
  readonly last: number;
  readonly bytes: number;
}

/** A session in the index. */
export interface IndexedSession extends StoredSession {
  /** Its segments, oldest first. Later commits are in {@link LoadedSession.tail}. */
  readonly segments: readonly SegmentRef[];
}

/** The part of a commit that readers of the session need. */
export interface CommitPart {
  readonly events: readonly LogEvent[];
  readonly journal: readonly JsonObject[];
}

/** State of a session in this process, in addition to its entry in the index. */
export interface LoadedSession {
  /** Commits that are not in a segment yet. */
  tail: CommitPart[];
  readonly taskIds: Set<string>;
  readonly receiptKeys: Set<string>;
}

/** A session that was deleted, and whose objects still exist. */
export interface Deletion {
  readonly taskIds: readonly string[];
}

/** The tables of the index. Their values are replaced, never changed. */
export interface Tables {
  readonly sessions: ShardedMap<IndexedSession>;
  readonly tasks: ShardedMap<TaskRecord>;
  readonly receipts: ShardedMap<StoredReceipt>;
  readonly pushes: ShardedMap<readonly PushRecord[]>;
  readonly grants: ShardedMap<GrantRecord>;
  readonly uses: ShardedMap<BudgetAmount>;
  readonly reservations: ShardedMap<Reservation>;
  readonly audit: ShardedMap<AuditRecord>;
  /** Deleted sessions, by contextId. */
  readonly deletions: ShardedMap<Deletion>;
  /** Tasks without a running turn whose documented objects are not written yet. */
  readonly unprojected: ShardedMap<true>;
}

/** The content of a bucket, except the commits in segments. */
export interface GcsState {
  readonly tables: Tables;
  /** Shards that have changed since the index was saved. */
  readonly changed: Set<number>;
  readonly loaded: Map<string, LoadedSession>;
}

/** Creates an empty state. */
export function createGcsState(): GcsState {
  const changed = new Set<number>();
  const tables: Tables = {
    sessions: new ShardedMap(changed),
    tasks: new ShardedMap(changed),
    receipts: new ShardedMap(changed),
    pushes: new ShardedMap(changed),
    grants: new ShardedMap(changed),
    uses: new ShardedMap(changed),
    reservations: new ShardedMap(changed),
    audit: new ShardedMap(changed),
    deletions: new ShardedMap(changed),
    unprojected: new ShardedMap(changed),
  };
  return { tables, changed, loaded: new Map() };
}

/** Finds the head that the next commit of a session must match. */
export function findIndexedHead({ tables }: GcsState, contextId: string): SessionHead | undefined {
  const session = tables.sessions.get(contextId);
  if (session === undefined) return undefined;
  const { epoch, commitNumber, lastPosition: position } = session;
  return { epoch, commitNumber, position };
}

/** Finds the loaded session, or creates it. */
export function loadedOf({ loaded }: GcsState, contextId: string): LoadedSession {
  const known = loaded.get(contextId) ?? {
    tail: [],
    taskIds: new Set<string>(),
    receiptKeys: new Set<string>(),
  };
  loaded.set(contextId, known);
  return known;
}

/** Applies a commit that was checked before. */
export function applyToIndex(state: GcsState, commit: Commit): void {
  const { contextId, session, events, journal, receipt, epoch, number } = commit;
  const { sessions, tasks, receipts, unprojected } = state.tables;
  const before = sessions.get(contextId) ?? (session && newSession(session));
  if (before === undefined) return;
  const known = loadedOf(state, contextId);
  const lastPrompt = findLastPrompt(events) ?? before.lastPrompt;
  let { lastActiveAt } = before;
  for (const { event } of events) if (event.at > lastActiveAt) lastActiveAt = event.at;
  sessions.set(contextId, {
    ...before,
    lastPosition: before.lastPosition + events.length,
    epoch,
    commitNumber: number,
    lastActiveAt,
    ...(lastPrompt !== undefined && { lastPrompt }),
  });
  known.tail.push({ events, journal });
  applyTasks(tasks, before, commit);
  for (const { event } of events) {
    known.taskIds.add(event.taskId);
    if (isResting(event)) unprojected.set(event.taskId, true);
  }
  if (receipt === undefined) return;
  known.receiptKeys.add(receiptKey(receipt));
  receipts.set(receiptKey(receipt), receipt);
}

function newSession(record: Commit["session"] & object): IndexedSession {
  const { createdAt: lastActiveAt } = record;
  return { ...record, lastPosition: 0, epoch: 0, commitNumber: 0, lastActiveAt, segments: [] };
}

/** Returns true if no turn runs in the task. */
export function isResting({ state }: Pick<TaskRecord, "state">): boolean {
  return state !== "submitted" && state !== "working";
}

/** Removes a session and everything that belongs to it, and notes that its objects must be deleted. */
export function removeFromIndex(state: GcsState, contextId: string): void {
  const { sessions, tasks, receipts, deletions, unprojected } = state.tables;
  const known = state.loaded.get(contextId);
  const taskIds = [...(known?.taskIds ?? [])];
  for (const taskId of taskIds) {
    tasks.delete(taskId);
    unprojected.delete(taskId);
  }
  for (const key of known?.receiptKeys ?? []) receipts.delete(key);
  state.loaded.delete(contextId);
  if (!sessions.delete(contextId)) return;
  const waiting = deletions.get(contextId)?.taskIds ?? [];
  deletions.set(contextId, { taskIds: [...new Set([...waiting, ...taskIds])] });
}

/** Gives the sessions of one user to another user; returns the number of these sessions. */
export function giveIndexed({ tables, loaded }: GcsState, from: string, to: string): number {
  const { sessions, tasks } = tables;
  const given = [...sessions.values()].filter(({ owner }) => owner === from);
  for (const session of given) {
    sessions.set(session.contextId, { ...session, owner: to });
    for (const taskId of loaded.get(session.contextId)?.taskIds ?? []) {
      const task = tasks.get(taskId);
      if (task !== undefined) tasks.set(taskId, { ...task, owner: to });
    }
  }
  return given.length;
}
