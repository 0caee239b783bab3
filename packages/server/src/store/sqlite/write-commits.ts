import type { TaskState } from "@dt/schema";
import {
  type Commit,
  type CommitOutcome,
  type CommitOutcomes,
  groupBySession,
  planCommits,
} from "../commit.js";
import { findLastPrompt } from "../last-prompt.js";
import type { LogEvent, SessionRecord, StoredReceipt } from "../session-store.js";
import { checksumOf, withChecksum } from "./checksum.js";
import { setPush } from "./pushes/sqlite-pushes.js";
import {
  eventColumns,
  journalColumns,
  type Row,
  receiptColumns,
  replaceNul,
  type SessionRow,
  sessionColumns,
  type TaskRow,
  taskColumns,
  toSessionRow,
  toTaskRow,
} from "./rows.js";
import type { Statements } from "./statements.js";
import type { WrittenRows } from "./written-rows.js";

interface TaskHead {
  readonly firstPosition: number;
  readonly lastPosition: number;
  readonly epoch: number;
  readonly state: TaskState;
  readonly updatedAt: string;
}

/** Options of {@link writeCommits}. */
export interface CommitWriterOptions {
  readonly statements: Statements;
  readonly written: WrittenRows;
  /** Returns the epoch of the lease that this process holds on a session; undefined if it holds none. */
  heldEpoch(contextId: string): number | undefined;
}

/**
 * Writes a group of commits. Every event is written. The row of each session and task is written once, in its last
 * state. A session that another holder has taken over is left out.
 */
export function writeCommits(
  commits: readonly Commit[],
  options: CommitWriterOptions,
): CommitOutcomes {
  const outcomes = new Map<string, CommitOutcome>();
  for (const [contextId, parts] of groupBySession(commits)) {
    outcomes.set(contextId, writeSession(contextId, parts, options));
  }
  return outcomes;
}

function writeSession(
  contextId: string,
  parts: readonly [Commit, ...Commit[]],
  options: CommitWriterOptions,
): CommitOutcome {
  const { statements, written } = options;
  const before = findSession(contextId, options);
  const head = before && { ...before, position: before.lastPosition };
  const plan = planCommits(parts, { head, heldEpoch: options.heldEpoch(contextId) });
  if (plan.type === "lost") return "lost";
  const { commits } = plan;
  const last = commits.at(-1);
  if (last === undefined) return "stored";
  const created = commits[0]?.session;
  const row = before ?? (created && toEmptyRow(created));
  if (row === undefined) throw new Error(`there is no session ${contextId}`);
  const events = commits.flatMap((commit) => commit.events);
  const journal = commits.flatMap((commit) => commit.journal);
  const after = advanceRow(row, { events, journal: journal.length, last });
  // The session is written first. If another holder has changed its row, the cached row is dropped, and the commits
  // are planned again from the stored row.
  if (!saveSession(after, before, statements)) {
    if (!written.sessions.delete(contextId)) {
      throw new Error(`the session ${contextId} was changed by another process`);
    }
    return writeSession(contextId, parts, options);
  }
  written.sessions.set(contextId, after);
  for (const event of events) {
    statements.insertEvent.run(...withChecksum("events", eventColumns(contextId, event)));
  }
  for (const [index, record] of journal.entries()) {
    const columns = journalColumns(contextId, row.lastNumber + index + 1, record);
    statements.insertJournal.run(...withChecksum("journal", columns));
  }
  for (const [taskId, taskHead] of headsOf(events)) {
    const dialect = commits.find((commit) => commit.dialect?.taskId === taskId)?.dialect?.name;
    writeTask({ taskId, contextId, owner: row.owner, dialect }, taskHead, options);
  }
  for (const { receipt, push } of commits) {
    if (push !== undefined) setPush(push, statements);
    if (receipt !== undefined) writeReceipt({ ...receipt, contextId }, statements);
  }
  return "stored";
}

function advanceRow(
  row: SessionRow,
  { events, journal, last }: { events: readonly LogEvent[]; journal: number; last: Commit },
): SessionRow {
  const lastPrompt = findLastPrompt(events);
  return {
    ...row,
    lastPosition: row.lastPosition + events.length,
    lastActiveAt: latest(row.lastActiveAt, events),
    lastPrompt: lastPrompt === undefined ? row.lastPrompt : replaceNul(lastPrompt),
    lastNumber: row.lastNumber + journal,
    epoch: last.epoch,
    commitNumber: last.number,
  };
}

// Finds the row of a session, usually in the cache of written rows, or else in the database.
function findSession(
  contextId: string,
  { statements, written }: CommitWriterOptions,
): SessionRow | undefined {
  const known = written.sessions.get(contextId);
  if (known !== undefined) return known;
  const row = statements.findSession.get(contextId) as Row | undefined;
  return row && toSessionRow(row);
}

function toEmptyRow(session: SessionRecord): SessionRow {
  return {
    ...session,
    json: JSON.stringify(session.settings),
    lastActiveAt: session.createdAt,
    lastPosition: 0,
    lastPrompt: "",
    lastNumber: 0,
    epoch: 0,
    commitNumber: 0,
  };
}

/** Writes the row of a session. Returns false if another holder has changed the row since it was read. */
export function saveSession(
  session: SessionRow,
  before: SessionRow | undefined,
  statements: Statements,
): boolean {
  const columns = withChecksum("sessions", sessionColumns(session));
  if (before === undefined) {
    statements.insertSession.run(...columns);
    return true;
  }
  // The first four columns are not written, because no commit changes id, owner, settings and creation time.
  const { contextId, epoch, lastPosition, commitNumber } = before;
  const key = [contextId, epoch, lastPosition, commitNumber];
  return statements.advanceSession.run(...columns.slice(4), ...key).changes === 1;
}

function writeReceipt(receipt: StoredReceipt, { insertReceipt }: Statements): void {
  const columns = receiptColumns(receipt);
  const { digest = "" } = receipt;
  insertReceipt.run(...columns.slice(0, 6), digest, checksumOf("receipts", columns));
}

/** Returns the latest time, because the last activity must not go back if the clock goes back. */
function latest(before: string, events: readonly LogEvent[]): string {
  let most = before;
  for (const { event } of events) if (event.at > most) most = event.at;
  return most;
}

function headsOf(events: readonly LogEvent[]): Map<string, TaskHead> {
  const heads = new Map<string, TaskHead>();
  for (const { position, epoch, event } of events) {
    const { taskId, state, at: updatedAt } = event;
    const firstPosition = heads.get(taskId)?.firstPosition ?? position;
    heads.set(taskId, { firstPosition, lastPosition: position, epoch, state, updatedAt });
  }
  return heads;
}

interface TaskIdentity {
  readonly taskId: string;
  readonly contextId: string;
  readonly owner: string;
  /** Dialect of a new task. */
  readonly dialect: string | undefined;
}

function writeTask(
  { dialect: given, ...identity }: TaskIdentity,
  head: TaskHead,
  { statements, written }: CommitWriterOptions,
): void {
  const { taskId } = identity;
  const known = written.tasks.get(taskId) ?? findTask(taskId, statements);
  const { firstPosition, dialect } = known ?? { firstPosition: head.firstPosition, dialect: given };
  const task: TaskRow = {
    ...identity,
    ...head,
    firstPosition,
    ...(dialect !== undefined && { dialect }),
  };
  const columns = taskColumns(task);
  const checksum = checksumOf("tasks", columns);
  if (known === undefined) {
    statements.insertTask.run(...columns.slice(0, 7), head.epoch, dialect ?? "", checksum);
  } else {
    const { state, lastPosition, updatedAt, epoch } = head;
    const values = [state, lastPosition, updatedAt, epoch, checksum];
    const { changes } = statements.advanceTask.run(...values, taskId);
    if (changes !== 1) throw new Error(`the task ${taskId} was changed by another process`);
  }
  written.tasks.set(taskId, task);
}

function findTask(taskId: string, statements: Statements): TaskRow | undefined {
  const row = statements.findTask.get(taskId) as Row | undefined;
  return row && toTaskRow(row);
}
