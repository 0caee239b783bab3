import type { Role } from "@dt/schema";
import { type GrantRecord, type GrantStore, MAX_LISTED_GRANTS } from "../../grant-store.js";
import type { Database, PostgresRow } from "../database/open-connections.js";

/** Options of {@link createPostgresGrants}. */
export interface PostgresGrantsOptions {
  readonly database: Pick<Database, "query" | "transact">;
  readonly schema: string;
}

/** Creates the methods of a Postgres store for grants. */
export function createPostgresGrants({ database, schema }: PostgresGrantsOptions): GrantStore {
  const grants = `${schema}.grants`;
  const isValid = "revoked_at = '' AND expires_at > $2";
  const listValid = `SELECT * FROM ${grants} WHERE context_id = $1 AND ${isValid}
    ORDER BY created_at, id`;

  async function read(text: string, values: readonly unknown[]): Promise<GrantRecord[]> {
    return (await database.query({ text, values })).map(toGrant);
  }

  return {
    createGrant: (grant, { maxPerSession }) =>
      database.transact(async (run) => {
        // The lock blocks only writers. Without the lock, two instances could exceed the limit of a session.
        await run({ text: `LOCK TABLE ${grants} IN SHARE ROW EXCLUSIVE MODE` });
        const { contextId, user, linkId, createdAt } = grant;
        const rows = await run({ text: listValid, values: [contextId, createdAt] });
        const others = rows.map(toGrant);
        const replaced = others.filter(
          (each) => user !== "" && each.user === user && each.linkId === linkId,
        );
        const hasLink =
          linkId === "" || others.some(({ id, digest }) => id === linkId && digest !== "");
        if (!hasLink || others.length - replaced.length >= maxPerSession) return false;
        await run({
          text: `UPDATE ${grants} SET revoked_at = $2 WHERE id = ANY($1)`,
          values: [replaced.map(({ id }) => id), createdAt],
        });
        await run({
          text: `INSERT INTO ${grants} (id, context_id, user_name, role, digest, link_id, created_at,
              expires_at, revoked_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
          values: columnsOf(grant),
        });
        return true;
      }),
    async findGrant(id) {
      const [grant] = await read(`SELECT * FROM ${grants} WHERE id = $1`, [id]);
      return grant;
    },
    findGrants: (keys, at) =>
      read(
        `SELECT g.* FROM unnest($1::text[], $3::text[]) AS wanted(context_id, user_name)
          JOIN ${grants} AS g USING (context_id, user_name) WHERE ${isValid}`,
        [keys.map(({ contextId }) => contextId), at, keys.map(({ user }) => user)],
      ),
    async hadGrant({ contextId, user }) {
      const text = `SELECT id FROM ${grants} WHERE context_id = $1 AND user_name = $2 LIMIT 1`;
      return (await database.query({ text, values: [contextId, user] })).length > 0;
    },
    listGrants: (contextId, at) => read(listValid, [contextId, at]),
    listGrantsOf: (user, at) =>
      read(
        `SELECT * FROM ${grants} WHERE user_name = $1 AND ${isValid}
          ORDER BY created_at DESC, id DESC LIMIT $3`,
        [user, at, MAX_LISTED_GRANTS],
      ),
    async revokeGrant({ contextId, id }, at) {
      const rows = await database.query({
        text: `UPDATE ${grants} SET revoked_at = $2
          WHERE context_id = $1 AND ${isValid} AND (id = $3 OR link_id = $3) RETURNING id`,
        values: [contextId, at, id],
      });
      return rows.length;
    },
  };
}

function columnsOf(grant: GrantRecord): readonly string[] {
  const { id, contextId, user, role, digest, linkId, createdAt, expiresAt } = grant;
  return [id, contextId, user, role, digest, linkId, createdAt, expiresAt, grant.revokedAt ?? ""];
}

function toGrant(row: PostgresRow): GrantRecord {
  return {
    id: String(row.id),
    contextId: String(row.context_id),
    user: String(row.user_name),
    role: String(row.role) as Role,
    digest: String(row.digest),
    linkId: String(row.link_id),
    createdAt: String(row.created_at),
    expiresAt: String(row.expires_at),
    ...(row.revoked_at !== "" && { revokedAt: String(row.revoked_at) }),
  };
}
