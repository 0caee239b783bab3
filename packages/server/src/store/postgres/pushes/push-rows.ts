import type { PushProgress, PushRecord } from "../../push-record.js";
import type { PostgresRow } from "../database/open-connections.js";
import { parseJsonColumn } from "../rows.js";

/** Returns the columns of a push config, in the order of the statements. */
export function pushValues(push: PushRecord): readonly unknown[] {
  const { taskId, configId, contextId, revision, target, progress } = push;
  const key = [contextId, taskId, configId, revision, JSON.stringify(target)];
  return [...key, ...progressValues(progress)];
}

/** Returns the columns of the progress of a push config. */
export function progressValues(progress: PushProgress): readonly unknown[] {
  const { after, isTaskDue, attempts, failures, nextAttemptAt, lastError, hasGivenUp } = progress;
  const next = [nextAttemptAt ?? null, lastError ?? null];
  return [after, isTaskDue, attempts, failures, ...next, hasGivenUp];
}

/** Reads a row of `pushes`. */
export function decodePushRow(row: PostgresRow): PushRecord {
  const contextId = String(row.context_id);
  const about = { table: "pushes", contextId, key: String(row.config_id) };
  return {
    taskId: String(row.task_id),
    configId: String(row.config_id),
    contextId,
    revision: String(row.revision),
    target: parseJsonColumn<PushRecord["target"]>(row.target, about),
    progress: {
      after: Number(row.after_position),
      isTaskDue: row.is_task_due === true,
      attempts: Number(row.attempts),
      failures: Number(row.failures),
      ...(row.next_attempt_at !== null && { nextAttemptAt: String(row.next_attempt_at) }),
      ...(row.last_error !== null && { lastError: String(row.last_error) }),
      hasGivenUp: row.has_given_up === true,
    },
  };
}
