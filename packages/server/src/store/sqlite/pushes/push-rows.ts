import type { PushRecord, PushTarget } from "../../push-record.js";
import { type ColumnValue, checkRow, parseColumn } from "../checksum.js";
import { type Row, replaceNul } from "../rows.js";

/** Returns the columns of a row of `pushes`. */
export function pushColumns(push: PushRecord): readonly ColumnValue[] {
  const { taskId, configId, contextId, revision, target, progress } = push;
  return toPushColumns({ taskId, configId, contextId, revision, progress }, JSON.stringify(target));
}

function toPushColumns(push: Omit<PushRecord, "target">, target: string): readonly ColumnValue[] {
  const { taskId, configId, contextId, revision, progress } = push;
  const { after, isTaskDue, attempts, failures, nextAttemptAt, lastError, hasGivenUp } = progress;
  return [
    taskId,
    configId,
    contextId,
    revision,
    target,
    after,
    isTaskDue ? 1 : 0,
    attempts,
    failures,
    nextAttemptAt ?? null,
    lastError === undefined ? null : replaceNul(lastError),
    hasGivenUp ? 1 : 0,
  ];
}

/** Reads a row of `pushes`. */
export function toPush(row: Row): PushRecord {
  const push = {
    taskId: String(row.task_id),
    configId: String(row.config_id),
    contextId: String(row.context_id),
    revision: String(row.revision),
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
  const target = String(row.target);
  const about = { table: "pushes", contextId: push.contextId, key: push.configId };
  checkRow({ ...about, columns: toPushColumns(push, target), checksum: row.checksum });
  return { ...push, target: parseColumn<PushTarget>(target, about) };
}
