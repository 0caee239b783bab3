import type { SessionSettings, StampedEvent, TaskState } from "@dt/schema";
import type {
  LogEvent,
  StoredReceipt,
  StoredSession,
  StoredView,
  TaskRecord,
} from "../session-store.js";
import { damagedSession } from "../store-fault.js";
import type { PostgresRow } from "./database/open-connections.js";

/** Location of a value in the database, for messages. */
export interface ColumnPlace {
  readonly table: string;
  readonly contextId: string;
  readonly key: string | number;
}

/** Parses the JSON of a row. Throws a StoreFault that names the session if the JSON is invalid. */
export function parseJsonColumn<TValue>(
  text: unknown,
  { table, contextId, key }: ColumnPlace,
): TValue {
  try {
    return JSON.parse(String(text)) as TValue;
  } catch (cause) {
    throw damagedSession(contextId, `${table} ${key}: not JSON`, cause);
  }
}

/** Reads a row of `sessions`. */
export function decodeSessionRow(row: PostgresRow): StoredSession {
  const contextId = String(row.context_id);
  const about = { table: "sessions", contextId, key: contextId };
  return {
    contextId,
    owner: String(row.owner),
    settings: parseJsonColumn<SessionSettings>(row.settings, about),
    createdAt: String(row.created_at),
    lastPosition: Number(row.last_position),
    epoch: Number(row.epoch),
    commitNumber: Number(row.commit_number),
    lastActiveAt: String(row.last_active_at),
    ...(row.last_prompt !== null && { lastPrompt: String(row.last_prompt) }),
  };
}

/** Reads a row of `tasks` with the creation time of its session. */
export function decodeTaskRow(row: PostgresRow): TaskRecord {
  return {
    taskId: String(row.task_id),
    contextId: String(row.context_id),
    sessionCreatedAt: String(row.session_created_at),
    owner: String(row.owner),
    state: String(row.state) as TaskState,
    lastPosition: Number(row.last_position),
    epoch: Number(row.epoch),
    updatedAt: String(row.updated_at),
    ...(row.dialect !== null && { dialect: String(row.dialect) }),
  };
}

/** Reads a row of `receipts`. */
export function decodeReceiptRow(row: PostgresRow): StoredReceipt {
  return {
    user: String(row.user_name),
    messageId: String(row.message_id),
    contextId: String(row.context_id),
    taskId: String(row.task_id),
    turn: Number(row.turn),
    afterPosition: Number(row.after_position),
    ...(row.digest !== null && { digest: String(row.digest) }),
  };
}

/** Reads a row of `views`. */
export function decodeViewRow(row: PostgresRow): StoredView {
  return {
    taskId: String(row.task_id),
    contextId: String(row.context_id),
    position: Number(row.position),
    json: String(row.view),
  };
}

/** Reads a row of `events`. */
export function decodeEventRow(contextId: string, row: PostgresRow): LogEvent {
  const position = Number(row.position);
  const about = { table: "events", contextId, key: position };
  return {
    position,
    epoch: Number(row.epoch),
    event: parseJsonColumn<StampedEvent>(row.event, about),
  };
}
