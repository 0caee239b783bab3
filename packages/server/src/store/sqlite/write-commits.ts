import type { TaskState } from "@dt/schema";
import { findLastPrompt } from "../last-prompt.js";
import type { Commit, LogEvent, SessionRecord } from "../session-store.js";
import { withChecksum } from "./checksum.js";
import {
  eventColumns,
  journalColumns,
  type Row,
  receiptColumns,
  type SessionRow,
  sessionColumns,
  type TaskRow,
  taskColumns,
  toSessionRow,
  toTaskRow,
  withoutNul,
} from "./rows.js";
import { setPush } from "./sqlite-pushes.js";
import type { Statements } from "./statements.js";
import type { WrittenRows } from "./written-rows.js";

interface TaskHead {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly state: TaskState;
  readonly updatedAt: string;
}

/** What writing needs of its store. */
export interface CommitWriterOptions {
  readonly statements: Statements;
  readonly written: WrittenRows;
}

/** Writes a group of commits: each event once, sessions and tasks only as they are at the end. */
export function writeCommits(commits: readonly Commit[], options: CommitWriterOptions): void {
  const { statements } = options;
  for (const [contextId, parts] of byContext(commits)) {
    writeSession(contextId, parts, options);
  }
  for (const { contextId, receipt, push } of commits) {
    if (push !== undefined) setPush(push, statements);
    if (receipt === undefined) continue;
    const columns = receiptColumns({ ...receipt, contextId });
    statements.insertReceipt.run(...withChecksum("receipts", columns));
  }
}

function byContext(commits: readonly Commit[]): Map<string, Commit[]> {
  const groups = new Map<string, Commit[]>();
  for (const commit of commits) {
    const group = groups.get(commit.contextId);
    if (group === undefined) groups.set(commit.contextId, [commit]);
    else group.push(commit);
  }
  return groups;
}

function writeSession(
  contextId: string,
  parts: readonly Commit[],
  options: CommitWriterOptions,
): void {
  const { statements } = options;
  const events = parts.flatMap((part) => part.events);
  const journal = parts.flatMap((part) => part.journal);
  const created = parts.find(({ session }) => session !== undefined)?.session;
  const before = created === undefined ? readSession(contextId, options) : toEmptyRow(created);
  const last = events.at(-1);
  // Only from the position before: a second writer, or a gap, changes nothing.
  if (last !== undefined && last.seq - events.length !== before.lastSeq) {
    throw new Error(`the session ${contextId} is not at the position ${before.lastSeq}`);
  }
  for (const event of events) {
    statements.insertEvent.run(...withChecksum("events", eventColumns(contextId, event)));
  }
  for (const [index, record] of journal.entries()) {
    const columns = journalColumns(contextId, before.lastNumber + index + 1, record);
    statements.insertJournal.run(...withChecksum("journal", columns));
  }
  const lastPrompt = findLastPrompt(events);
  const after: SessionRow = {
    ...before,
    lastSeq: last?.seq ?? before.lastSeq,
    lastActiveAt: latest(before.lastActiveAt, events),
    lastPrompt: lastPrompt === undefined ? before.lastPrompt : withoutNul(lastPrompt),
    lastNumber: before.lastNumber + journal.length,
  };
  saveSession(after, created === undefined ? before : undefined, options);
  for (const [taskId, head] of headsOf(events)) {
    writeTask({ taskId, contextId, owner: before.owner }, head, options);
  }
}

function readSession(contextId: string, { statements, written }: CommitWriterOptions): SessionRow {
  const known = written.sessions.get(contextId);
  if (known !== undefined) return known;
  const row = statements.findSession.get(contextId) as Row | undefined;
  if (row === undefined) throw new Error(`there is no session ${contextId}`);
  return toSessionRow(row, contextId);
}

function toEmptyRow(session: SessionRecord): SessionRow {
  return {
    ...session,
    json: JSON.stringify(session.settings),
    lastActiveAt: session.createdAt,
    lastSeq: 0,
    lastPrompt: "",
    lastNumber: 0,
  };
}

function saveSession(
  session: SessionRow,
  before: SessionRow | undefined,
  { statements, written }: CommitWriterOptions,
): void {
  const { contextId } = session;
  const columns = withChecksum("sessions", sessionColumns(session));
  if (before === undefined) {
    statements.insertSession.run(...columns);
  } else {
    // Owner, settings and creation time stay as they are.
    const place = [contextId, before.lastSeq, before.lastNumber];
    const { changes } = statements.advanceSession.run(...columns.slice(4), ...place);
    if (changes !== 1) throw new Error(`the session ${contextId} was changed by someone else`);
  }
  written.sessions.set(contextId, session);
}

/** The last activity never goes back, because a clock that was set back says nothing about it. */
function latest(before: string, events: readonly LogEvent[]): string {
  let most = before;
  for (const { event } of events) if (event.at > most) most = event.at;
  return most;
}

function headsOf(events: readonly LogEvent[]): Map<string, TaskHead> {
  const heads = new Map<string, TaskHead>();
  for (const { seq, event } of events) {
    const firstSeq = heads.get(event.taskId)?.firstSeq ?? seq;
    heads.set(event.taskId, { firstSeq, lastSeq: seq, state: event.state, updatedAt: event.at });
  }
  return heads;
}

function writeTask(
  identity: { readonly taskId: string; readonly contextId: string; readonly owner: string },
  head: TaskHead,
  { statements, written }: CommitWriterOptions,
): void {
  const { taskId } = identity;
  const known = written.tasks.get(taskId) ?? findTask(taskId, statements);
  const task: TaskRow = { ...identity, ...head, firstSeq: known?.firstSeq ?? head.firstSeq };
  const columns = withChecksum("tasks", taskColumns(task));
  if (known === undefined) {
    statements.insertTask.run(...columns);
  } else {
    const { state, lastSeq, updatedAt } = head;
    const checksum = columns.at(-1) ?? null;
    const { changes } = statements.advanceTask.run(state, lastSeq, updatedAt, checksum, taskId);
    if (changes !== 1) throw new Error(`the task ${taskId} was changed by someone else`);
  }
  written.tasks.set(taskId, task);
}

function findTask(taskId: string, statements: Statements): TaskRow | undefined {
  const row = statements.findTask.get(taskId) as Row | undefined;
  return row && toTaskRow(row);
}
