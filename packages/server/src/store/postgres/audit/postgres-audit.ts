import { type AuditRecord, type AuditStore, decodeAuditRow } from "../../audit-store.js";
import type { Database } from "../database/open-connections.js";

/** Options of {@link createPostgresAudit}. */
export interface PostgresAuditOptions {
  readonly database: Pick<Database, "query" | "transact">;
  readonly schema: string;
}

/** Creates the audit of a Postgres store. */
export function createPostgresAudit({ database, schema }: PostgresAuditOptions): AuditStore {
  const audit = `${schema}.audit`;
  return {
    addAudit: (records, { maxRecords }) =>
      database.transact(async (run) => {
        // All instances write rows in the same order, so that two of them never deadlock.
        const sorted = [...records].sort((one, other) => (one.id < other.id ? -1 : 1));
        for (const record of sorted) {
          await run({
            text: `INSERT INTO ${audit} AS stored (id, kind, user_name, name, address, subject, detail,
                first_at, last_at, count) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
              ON CONFLICT (id) DO UPDATE SET
                first_at = least(stored.first_at, excluded.first_at),
                last_at = greatest(stored.last_at, excluded.last_at),
                count = stored.count + excluded.count`,
            values: columnsOf(record),
          });
        }
        await run({
          text: `DELETE FROM ${audit} WHERE id IN (
              SELECT id FROM ${audit} ORDER BY id DESC OFFSET $1)`,
          values: [maxRecords],
        });
      }),
    async readAudit({ since, after = "", limit }) {
      const rows = await database.query({
        text: `SELECT * FROM ${audit} WHERE id > $1 AND last_at >= $2 ORDER BY id LIMIT $3`,
        values: [after, since, limit],
      });
      return rows.map((row) => decodeAuditRow({ ...row, user: row.user_name }));
    },
    async listActive(since) {
      const rows = await database.query({
        text: `SELECT context_id FROM ${schema}.sessions WHERE last_active_at >= $1`,
        values: [since],
      });
      return rows.map(({ context_id }) => String(context_id));
    },
  };
}

function columnsOf(record: AuditRecord): readonly (string | number)[] {
  const { id, kind, user = "", name = "", address = "", subject = "", detail = "" } = record;
  // Postgres stores no NUL.
  const texts = [user, name, address, subject, detail].map((text) => text.replaceAll("\0", ""));
  return [id, kind, ...texts, record.firstAt, record.lastAt, record.count];
}
