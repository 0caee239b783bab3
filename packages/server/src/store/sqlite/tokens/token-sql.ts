/** The SQL of tokens. An empty string means that a value is absent. */
export const TOKEN_SQL = {
  writeToken: `INSERT OR REPLACE INTO tokens (id, user, name, role, tier, digest, created_at,
      expires_at, revoked_at, last_used_at, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  findToken: "SELECT * FROM tokens WHERE id = ?",
  findTokens: "SELECT * FROM tokens WHERE id IN (SELECT value FROM json_each(?))",
  findValidToken: `SELECT * FROM tokens WHERE user = ?1 AND name = ?2 AND revoked_at = ''
      AND (expires_at = '' OR expires_at > ?3)`,
  listTokens: "SELECT * FROM tokens ORDER BY user, name, created_at",
} as const;
