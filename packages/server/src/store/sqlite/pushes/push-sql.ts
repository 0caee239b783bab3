/** The SQL of the outbox. */
export const PUSH_SQL = {
  writePush: `INSERT OR REPLACE INTO pushes (task_id, config_id, context_id, revision, target,
      after_seq, is_task_due, attempts, failures, next_attempt_at, last_error, has_given_up, checksum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  findPush: "SELECT * FROM pushes WHERE task_id = ? AND config_id = ?",
  countOtherPushes: "SELECT count(*) AS count FROM pushes WHERE task_id = ? AND config_id <> ?",
  listPushes: "SELECT * FROM pushes WHERE task_id = ? ORDER BY config_id",
  deletePush: "DELETE FROM pushes WHERE task_id = ? AND config_id = ?",
  deleteSessionPushes: "DELETE FROM pushes WHERE context_id = ?",
  // Here and below, an empty contextId means all sessions.
  listDuePushes: `SELECT * FROM pushes WHERE next_attempt_at <= ?1
      AND ?3 IN ('', context_id)
    ORDER BY next_attempt_at LIMIT ?2`,
  countWaitingPushes: `SELECT count(*) AS count, min(next_attempt_at) AS next_at FROM pushes
    WHERE next_attempt_at IS NOT NULL AND ?1 IN ('', context_id)`,
  listStrandedPushes: `SELECT * FROM pushes
    WHERE ?1 IN ('', context_id) AND next_attempt_at IS NULL
      AND has_given_up = 0 AND (is_task_due = 1 OR after_seq < (
      SELECT last_seq FROM tasks WHERE tasks.task_id = pushes.task_id
    ))`,
  findAnyPush: "SELECT 1 FROM pushes WHERE ?1 IN ('', context_id) LIMIT 1",
} as const;
