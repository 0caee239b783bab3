/** Everything that is asked of the outbox. */
export const pushSql = {
  // Set again, a config keeps its place and loses what went wrong.
  upsertPush: `INSERT INTO pushes (task_id, config_id, context_id, revision, target, after_seq,
      is_task_due, attempts, failures, next_attempt_at, last_error, has_given_up)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (task_id, config_id) DO UPDATE SET context_id = excluded.context_id,
      revision = excluded.revision, target = excluded.target, failures = 0,
      next_attempt_at = NULL, last_error = NULL, has_given_up = 0`,
  countOtherPushes: "SELECT count(*) AS count FROM pushes WHERE task_id = ? AND config_id <> ?",
  listPushes: "SELECT * FROM pushes WHERE task_id = ? ORDER BY config_id",
  deletePush: "DELETE FROM pushes WHERE task_id = ? AND config_id = ?",
  deleteSessionPushes: "DELETE FROM pushes WHERE context_id = ?",
  notePush: `UPDATE pushes SET after_seq = ?, is_task_due = ?, attempts = ?, failures = ?,
      next_attempt_at = ?, last_error = ?, has_given_up = ?
    WHERE task_id = ? AND config_id = ? AND revision = ?`,
  listDuePushes: `SELECT * FROM pushes WHERE next_attempt_at <= ?
    ORDER BY next_attempt_at LIMIT ?`,
  claimPush: "UPDATE pushes SET next_attempt_at = NULL WHERE task_id = ? AND config_id = ?",
  countWaitingPushes: `SELECT count(*) AS count, min(next_attempt_at) AS next_at FROM pushes
    WHERE next_attempt_at IS NOT NULL`,
  resumePushes: `UPDATE pushes SET next_attempt_at = ?
    WHERE next_attempt_at IS NULL AND has_given_up = 0 AND (is_task_due = 1 OR after_seq < (
      SELECT last_seq FROM tasks WHERE tasks.task_id = pushes.task_id
    ))`,
  findAnyPush: "SELECT 1 FROM pushes LIMIT 1",
} as const;
