import type { Role } from "@dt/schema";
import type { TokenRecord, TokenStore } from "../../token-store.js";
import type { Database, PostgresRow } from "../database/open-connections.js";

/** Options of {@link createPostgresTokens}. */
export interface PostgresTokensOptions {
  readonly database: Pick<Database, "query" | "transact">;
  readonly schema: string;
}

/** Creates the methods of a Postgres store for tokens. */
export function createPostgresTokens({ database, schema }: PostgresTokensOptions): TokenStore {
  const tokens = `${schema}.tokens`;
  const isValid = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)";

  return {
    createToken: (token) =>
      database.transact(async (run) => {
        // The lock blocks only writers. Without the lock, two instances could create tokens with the same name.
        await run({ text: `LOCK TABLE ${tokens} IN SHARE ROW EXCLUSIVE MODE` });
        const { user, name, createdAt } = token;
        const rows = await run({
          text: `SELECT id FROM ${tokens} WHERE user_name = $1 AND name = $2 AND ${isValid}`,
          values: [user, name, createdAt],
        });
        if (rows.length > 0) return false;
        await run({
          text: `INSERT INTO ${tokens} (id, user_name, name, role, tier, digest, created_at,
              expires_at, revoked_at, last_used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
          values: columnsOf(token),
        });
        return true;
      }),
    async findTokens(ids) {
      const rows = await database.query({
        name: `find tokens ${schema}`,
        text: `SELECT * FROM ${tokens} WHERE id = ANY($1)`,
        values: [ids],
      });
      return rows.map(toToken);
    },
    async listTokens() {
      const rows = await database.query({
        text: `SELECT * FROM ${tokens} ORDER BY user_name, name, created_at`,
      });
      return rows.map(toToken);
    },
    async revokeToken({ user, name }, at) {
      const rows = await database.query({
        text: `UPDATE ${tokens} SET revoked_at = $3
          WHERE user_name = $1 AND name = $2 AND ${isValid} RETURNING id`,
        values: [user, name, at],
      });
      return rows.length > 0;
    },
    async noteTokenUse(id, at) {
      await database.query({
        text: `UPDATE ${tokens} SET last_used_at = $2
          WHERE id = $1 AND coalesce(last_used_at, '') < $2`,
        values: [id, at],
      });
    },
  };
}

function columnsOf(token: TokenRecord): readonly (string | null)[] {
  const { id, user, name, role, tier, digest, createdAt, expiresAt, revokedAt, lastUsedAt } = token;
  const times = [createdAt, expiresAt ?? null, revokedAt ?? null, lastUsedAt ?? null];
  return [id, user, name, role, tier ?? null, digest, ...times];
}

function toToken(row: PostgresRow): TokenRecord {
  return {
    id: String(row.id),
    user: String(row.user_name),
    name: String(row.name),
    role: String(row.role) as Role,
    ...(row.tier !== null && { tier: String(row.tier) }),
    digest: String(row.digest),
    createdAt: String(row.created_at),
    ...(row.expires_at !== null && { expiresAt: String(row.expires_at) }),
    ...(row.revoked_at !== null && { revokedAt: String(row.revoked_at) }),
    ...(row.last_used_at !== null && { lastUsedAt: String(row.last_used_at) }),
  };
}
