import type { AgentSettings, JsonObject, StampedEvent, TaskState } from "@dt/schema";
import type {
  LogEvent,
  SessionRecord,
  StoredReceipt,
  StoredSession,
  StoredView,
  TaskCounts,
  TaskRecord,
} from "../session-store.js";
import { type ColumnValue, checkRow, checksumOf, parseColumn } from "./checksum.js";

/** A row as the driver returns it. */
export type Row = Readonly<Record<string, unknown>>;

/** The values of a row in the order of its columns, without the checksum. */
type Columns = readonly ColumnValue[];

/** A row of `sessions`, decoded. */
export interface SessionRow extends SessionRecord {
  /** The settings, as JSON. */
  readonly json: string;
  readonly lastActiveAt: string;
  readonly lastPosition: number;
  readonly lastPrompt: string;
  /** Number of the last journal record of the session. */
  readonly lastNumber: number;
  readonly epoch: number;
  readonly commitNumber: number;
}

/**
 * Returns the columns of a row of `sessions`. Epoch and commit number are left out if both are 0, because an
 * older dt without leases may have computed the checksum of the row.
 */
export function sessionColumns(session: Omit<SessionRow, "settings">): Columns {
  const { contextId, owner, json, createdAt, lastPosition, lastActiveAt } = session;
  const { lastPrompt, lastNumber, epoch, commitNumber } = session;
  const columns = [
    contextId,
    owner,
    json,
    createdAt,
    lastPosition,
    lastActiveAt,
    lastPrompt,
    lastNumber,
  ];
  return epoch === 0 && commitNumber === 0 ? columns : [...columns, epoch, commitNumber];
}

/** Reads a row of `sessions` so that it can be written back. */
export function toSessionRow(row: Row): SessionRow {
  const contextId = String(row.context_id);
  const session = {
    contextId,
    owner: String(row.owner),
    json: String(row.settings),
    createdAt: String(row.created_at),
    lastPosition: Number(row.last_seq),
    lastActiveAt: String(row.last_active_at),
    lastPrompt: String(row.last_prompt),
    lastNumber: Number(row.last_number),
    epoch: Number(row.epoch),
    commitNumber: Number(row.commit_number),
  };
  const about = { table: "sessions", contextId, key: contextId };
  checkRow({ ...about, columns: sessionColumns(session), checksum: row.checksum });
  return { ...session, settings: parseColumn<AgentSettings>(session.json, about) };
}

/** Reads a row of `sessions`. */
export function toSession(row: Row): StoredSession {
  const { json: _, lastNumber: __, lastPrompt, ...session } = toSessionRow(row);
  return { ...session, ...(lastPrompt !== "" && { lastPrompt }) };
}

/** A row of `tasks`, decoded. */
export interface TaskRow extends Omit<TaskRecord, "sessionCreatedAt"> {
  readonly firstPosition: number;
}

/**
 * Returns the columns of a row of `tasks`. For a task that was created in A2A, dialect and epoch 0 are left
 * out.
 */
export function taskColumns(task: TaskRow): Columns {
  const {
    taskId,
    contextId,
    owner,
    state,
    lastPosition,
    firstPosition,
    updatedAt,
    epoch,
    dialect,
  } = task;
  const columns = [taskId, contextId, owner, state, lastPosition, firstPosition, updatedAt];
  if (dialect !== undefined) return [...columns, epoch, dialect];
  return epoch === 0 ? columns : [...columns, epoch];
}

/** Reads a row of `tasks` so that it can be written back. */
export function toTaskRow(row: Row): TaskRow {
  const task = {
    taskId: String(row.task_id),
    contextId: String(row.context_id),
    owner: String(row.owner),
    state: String(row.state) as TaskState,
    lastPosition: Number(row.last_seq),
    firstPosition: Number(row.first_seq),
    updatedAt: String(row.updated_at),
    epoch: Number(row.epoch),
    ...(row.dialect !== "" && { dialect: String(row.dialect) }),
  };
  const about = { table: "tasks", contextId: task.contextId, key: task.taskId };
  checkRow({ ...about, columns: taskColumns(task), checksum: row.checksum });
  return task;
}

/** Reads a row of `tasks` with the creation time of its session. */
export function toTask(row: Row): TaskRecord {
  const { firstPosition: _, ...task } = toTaskRow(row);
  return { ...task, sessionCreatedAt: String(row.session_created_at) };
}

/** Returns the columns of a row of `receipts`. If the receipt has no digest, the column is left out. */
export function receiptColumns(receipt: StoredReceipt): Columns {
  const { user, messageId, contextId, taskId, turn, afterPosition, digest } = receipt;
  const columns = [user, messageId, contextId, taskId, turn, afterPosition];
  return digest === undefined ? columns : [...columns, digest];
}

/** Reads a row of `receipts`. */
export function toReceipt(row: Row): StoredReceipt {
  const receipt = {
    user: String(row.principal),
    messageId: String(row.message_id),
    contextId: String(row.context_id),
    taskId: String(row.task_id),
    turn: Number(row.turn),
    afterPosition: Number(row.after_seq),
    ...(row.digest !== "" && { digest: String(row.digest) }),
  };
  const about = { table: "receipts", contextId: receipt.contextId, key: receipt.messageId };
  checkRow({ ...about, columns: receiptColumns(receipt), checksum: row.checksum });
  return receipt;
}

/** Returns the columns of a row of `views`. */
export function viewColumns({ taskId, contextId, position, json }: StoredView): Columns {
  return [taskId, contextId, position, json];
}

/** Reads a row of `views`. Returns undefined for a damaged row, because the events can be folded again. */
export function toView(row: Row): StoredView | undefined {
  const view = {
    taskId: String(row.task_id),
    contextId: String(row.context_id),
    position: Number(row.seq),
    json: String(row.view),
  };
  const isIntact = row.checksum === null || row.checksum === checksumOf("views", viewColumns(view));
  return isIntact ? view : undefined;
}

/** Returns the columns of a row of `events`. */
export function eventColumns(contextId: string, { position, event, epoch }: LogEvent): Columns {
  return [contextId, position, event.taskId, JSON.stringify(event), epoch];
}

/** A row of `events` as an array, in the order of the statement. */
export type EventColumns = readonly [
  position: unknown,
  taskId: unknown,
  event: unknown,
  checksum: unknown,
  epoch: unknown,
];

/** Reads a row of `events`. */
export function toLogEvent(
  contextId: string,
  [positionColumn, taskId, text, checksum, epochColumn]: EventColumns,
): LogEvent {
  const position = Number(positionColumn);
  const epoch = Number(epochColumn);
  const json = String(text);
  const about = { table: "events", contextId, key: position };
  if (checksum !== null) {
    const columns = [contextId, position, String(taskId), json];
    checkRow({ ...about, columns: epoch === 0 ? columns : [...columns, epoch], checksum });
  }
  return { position, epoch, event: parseColumn<StampedEvent>(json, about) };
}

/** Returns the columns of a row of `journal`. */
export function journalColumns(contextId: string, number: number, record: JsonObject): Columns {
  return [contextId, number, JSON.stringify(record)];
}

/**
 * Reads a row of `journal`. A query passes the `contextId` that it searched for, because the id in a damaged
 * row may be wrong.
 */
export function toJournal(row: Row, contextId = String(row.context_id)): JsonObject {
  const number = Number(row.number);
  const json = String(row.record);
  const about = { table: "journal", contextId, key: number };
  checkRow({ ...about, columns: [contextId, number, json], checksum: row.checksum });
  return parseColumn<JsonObject>(json, about);
}

/** Adds up numbers of tasks. Each row has a state and the number of tasks in this state. */
export function toCounts(rows: readonly Row[]): TaskCounts {
  const sum = (counted: readonly Row[]) =>
    counted.reduce((total, { count }) => total + Number(count), 0);
  const active = rows.filter(({ state }) => state === "submitted" || state === "working");
  return { active: sum(active), total: sum(rows) };
}

/** Replaces NUL characters, because the driver cuts text at the first one when it reads. */
export function replaceNul(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}
