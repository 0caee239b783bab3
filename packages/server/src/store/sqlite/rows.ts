import type { TaskState } from "@dt/schema";
import type { PushRecord } from "../push-record.js";
import type {
  LogEvent,
  StoredReceipt,
  StoredSession,
  StoredView,
  TaskCounts,
  TaskRecord,
} from "../session-store.js";

/** A row as the driver gives it. */
export type Row = Readonly<Record<string, unknown>>;

/** A row of `sessions`. */
export function toSession(row: Row): StoredSession {
  return {
    contextId: String(row.context_id),
    owner: String(row.owner),
    settings: JSON.parse(String(row.settings)),
    createdAt: String(row.created_at),
    lastSeq: Number(row.last_seq),
    lastActiveAt: String(row.last_active_at),
    ...(row.last_prompt !== "" && { lastPrompt: String(row.last_prompt) }),
  };
}

/** A row of `tasks`. */
export function toTask(row: Row): TaskRecord {
  return {
    taskId: String(row.task_id),
    contextId: String(row.context_id),
    sessionCreatedAt: String(row.session_created_at),
    owner: String(row.owner),
    state: String(row.state) as TaskState,
    lastSeq: Number(row.last_seq),
    updatedAt: String(row.updated_at),
  };
}

/** A row of `receipts`. */
export function toReceipt(row: Row): StoredReceipt {
  return {
    principal: String(row.principal),
    messageId: String(row.message_id),
    contextId: String(row.context_id),
    taskId: String(row.task_id),
    turn: Number(row.turn),
    after: Number(row.after_seq),
  };
}

/** A row of `views`. */
export function toView(row: Row): StoredView {
  return {
    taskId: String(row.task_id),
    contextId: String(row.context_id),
    seq: Number(row.seq),
    json: String(row.view),
  };
}

/** A row of `events`. */
export function toLogEvent(row: Row): LogEvent {
  return { seq: Number(row.seq), event: JSON.parse(String(row.event)) };
}

/** A row of `pushes`. */
export function toPush(row: Row): PushRecord {
  return {
    taskId: String(row.task_id),
    configId: String(row.config_id),
    contextId: String(row.context_id),
    revision: String(row.revision),
    target: JSON.parse(String(row.target)),
    progress: {
      after: Number(row.after_seq),
      isTaskDue: Number(row.is_task_due) === 1,
      attempts: Number(row.attempts),
      failures: Number(row.failures),
      ...(row.next_attempt_at !== null && { nextAttemptAt: String(row.next_attempt_at) }),
      ...(row.last_error !== null && { lastError: String(row.last_error) }),
      hasGivenUp: Number(row.has_given_up) === 1,
    },
  };
}

/** Rows of a state and how many tasks are in it. */
export function toCounts(rows: readonly Row[]): TaskCounts {
  const sum = (counted: readonly Row[]) =>
    counted.reduce((total, { count }) => total + Number(count), 0);
  const active = rows.filter(({ state }) => state === "submitted" || state === "working");
  return { active: sum(active), total: sum(rows) };
}
