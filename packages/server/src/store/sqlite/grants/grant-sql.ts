/** The SQL of grants. An empty `revoked_at` means that the grant was not revoked. */
export const GRANT_SQL = {
  writeGrant: `INSERT OR REPLACE INTO grants (id, context_id, user, role, digest, link_id, created_at,
      expires_at, revoked_at, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  findGrant: "SELECT * FROM grants WHERE id = ?",
  findGrants: `SELECT grants.* FROM json_each(?1) AS wanted JOIN grants
      ON grants.context_id = wanted.value ->> 0 AND grants.user = wanted.value ->> 1
    WHERE grants.revoked_at = '' AND grants.expires_at > ?2`,
  findAnyGrant: "SELECT id FROM grants WHERE context_id = ? AND user = ? LIMIT 1",
  listGrants: `SELECT * FROM grants WHERE context_id = ? AND revoked_at = '' AND expires_at > ?
    ORDER BY created_at, id`,
  listGrantsOf: `SELECT * FROM grants WHERE user = ? AND revoked_at = '' AND expires_at > ?
    ORDER BY created_at DESC, id DESC LIMIT ?`,
  deleteGrants: "DELETE FROM grants WHERE context_id = ?",
} as const;
