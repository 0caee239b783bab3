import type { JsonObject } from "@dt/schema";
import type { Commit, SessionHead } from "../commit.js";
import type {
  LogEvent,
  SessionRecord,
  StoredReceipt,
  StoredView,
  TaskRecord,
} from "../session-store.js";

/** The content of a memory store, except leases and push configs. */
export interface MemoryState {
  readonly sessions: Map<string, MemorySession>;
  readonly tasks: Map<string, TaskRecord>;
  readonly receipts: Map<string, StoredReceipt>;
  readonly views: Map<string, StoredView>;
}

/** One session in memory. */
export interface MemorySession {
  record: SessionRecord;
  readonly events: LogEvent[];
  readonly journal: JsonObject[];
  lastActiveAt: string;
  epoch: number;
  commitNumber: number;
}

/** Creates an empty state. */
export function createMemoryState(): MemoryState {
  return { sessions: new Map(), tasks: new Map(), receipts: new Map(), views: new Map() };
}

/** Finds the head that the next commit of a session must match. */
export function findHead({ sessions }: MemoryState, contextId: string): SessionHead | undefined {
  const kept = sessions.get(contextId);
  if (kept === undefined) return undefined;
  return { epoch: kept.epoch, commitNumber: kept.commitNumber, position: kept.events.length };
}

/** Applies a commit that was checked before. */
export function applyCommit(state: MemoryState, commit: Commit): void {
  const { contextId, session, events, journal, receipt, epoch, number } = commit;
  const kept = session === undefined ? state.sessions.get(contextId) : toKept(session, commit);
  if (kept === undefined) return;
  if (session !== undefined) state.sessions.set(contextId, kept);
  kept.epoch = epoch;
  kept.commitNumber = number;
  // Events are added one by one, because spreading very many arguments overflows the stack.
  for (const logged of events) {
    kept.events.push(logged);
    if (logged.event.at > kept.lastActiveAt) kept.lastActiveAt = logged.event.at;
  }
  for (const record of journal) kept.journal.push(record);
  applyTasks(state.tasks, kept.record, commit);
  if (receipt !== undefined) state.receipts.set(receiptKey(receipt), receipt);
}

/** Removes a session and everything that belongs to it. */
export function removeSession(state: MemoryState, contextId: string): void {
  state.sessions.delete(contextId);
  for (const records of [state.tasks, state.receipts, state.views]) {
    for (const [key, record] of records) if (record.contextId === contextId) records.delete(key);
  }
}

/** Gives the sessions of one user to another user; returns the number of these sessions. */
export function giveSessions(
  { sessions, tasks }: Pick<MemoryState, "sessions" | "tasks">,
  from: string,
  to: string,
): number {
  const given = [...sessions.values()].filter(({ record }) => record.owner === from);
  for (const session of given) session.record = { ...session.record, owner: to };
  const ids = new Set(given.map(({ record }) => record.contextId));
  for (const [taskId, task] of tasks) {
    if (ids.has(task.contextId)) tasks.set(taskId, { ...task, owner: to });
  }
  return given.length;
}

/** Returns the key of a receipt. */
export function receiptKey({ user, messageId }: { user: string; messageId: string }): string {
  return JSON.stringify([user, messageId]);
}

function toKept(record: SessionRecord, { epoch, number }: Commit): MemorySession {
  const lastActiveAt = record.createdAt;
  return { record, events: [], journal: [], lastActiveAt, epoch, commitNumber: number };
}

/** Applies the events of a commit to the records of its tasks. */
export function applyTasks(
  tasks: Map<string, TaskRecord>,
  { contextId, owner, createdAt: sessionCreatedAt }: SessionRecord,
  { events, dialect: given }: Commit,
): void {
  let index = 0;
  for (const { position: lastPosition, epoch, event } of events) {
    const { taskId, state, at: updatedAt } = event;
    index += 1;
    // If the next event belongs to the same task, the record is written for that event instead.
    if (events[index]?.event.taskId === taskId) continue;
    const before = tasks.get(taskId);
    const dialect = before === undefined && given?.taskId === taskId ? given.name : before?.dialect;
    // Every field is written out, because a spread would take as long as the rest of the commit.
    const task = {
      taskId,
      contextId,
      sessionCreatedAt,
      owner,
      state,
      lastPosition,
      epoch,
      updatedAt,
    };
    tasks.set(taskId, dialect === undefined ? task : { ...task, dialect });
  }
}
