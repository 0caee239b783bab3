/** The SQL of the audit. An empty string means that a value is absent. */
export const AUDIT_SQL = {
  writeAudit: `INSERT OR REPLACE INTO audit (id, kind, user, name, address, subject, detail, first_at,
      last_at, count, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  findAudit: "SELECT * FROM audit WHERE id = ?",
  readAudit: "SELECT * FROM audit WHERE id > ?1 AND last_at >= ?2 ORDER BY id LIMIT ?3",
  countAudit: "SELECT count(*) AS count FROM audit",
  deleteOldestAudit: "DELETE FROM audit WHERE id IN (SELECT id FROM audit ORDER BY id LIMIT ?)",
  listActive: "SELECT context_id FROM sessions WHERE last_active_at >= ?",
} as const;
