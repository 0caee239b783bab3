import { SetupError } from "@dt/schema";
import { sessionAccount } from "../budgets/budget-store.js";
import type { SessionStore } from "../session-store.js";
import type { Database } from "./database/open-connections.js";

/** The methods of a Postgres store that save views, change owners and delete sessions. */
export type PostgresWriter = Pick<SessionStore, "saveView" | "changeOwner" | "deleteSession">;

/** Options of {@link createPostgresWriter}. */
export interface PostgresWriterOptions {
  readonly database: Pick<Database, "query" | "address">;
  readonly schema: string;
  readonly instance: { readonly id: string };
  /** Called after a session was deleted. */
  onDeleted(contextId: string): void;
}

/** Tables with rows of sessions, apart from the table of sessions. */
const PARTS = [
  "events",
  "journal",
  "views",
  "tasks",
  "receipts",
  "pushes",
  "grants",
  "inbox",
  "live_output",
] as const;

/** Creates the writing methods of a Postgres store. */
export function createPostgresWriter(options: PostgresWriterOptions): PostgresWriter {
  const { database, schema, instance, onDeleted } = options;
  const deletions = PARTS.map(
    (table) =>
      `"${table}" AS (DELETE FROM ${schema}.${table} AS t USING deleted AS d
        WHERE t.context_id = d.context_id)`,
  );

  return {
    async saveView({ taskId, contextId, position, json }) {
      await database.query({
        text: `INSERT INTO ${schema}.views (task_id, context_id, position, view)
          VALUES ($1, $2, $3, $4) ON CONFLICT (task_id) DO UPDATE SET
            context_id = excluded.context_id, position = excluded.position, view = excluded.view`,
        values: [taskId, contextId, position, json],
      });
    },
    async changeOwner(from, to) {
      const others = await database.query({
        text: `SELECT name FROM ${schema}.instances
          WHERE id <> $1::uuid AND lease_until > clock_timestamp()`,
        values: [instance.id],
      });
      if (others.length > 0) {
        throw new SetupError(
          `the database ${database.address} is in use by ${others.map(({ name }) => name).join(", ")}; stop all instances before sessions change their owner`,
        );
      }
      const [row] = await database.query({
        text: `WITH given AS (
            UPDATE ${schema}.sessions SET owner = $2 WHERE owner = $1 RETURNING context_id
          ), changed AS (
            UPDATE ${schema}.tasks AS t SET owner = $2 FROM given AS g
            WHERE t.context_id = g.context_id
          )
          SELECT count(*) AS count FROM given`,
        values: [from, to],
      });
      return Number(row?.count);
    },
    async deleteSession(contextId) {
      await database.query({
        text: `WITH deleted AS (SELECT $1::text AS context_id), ${deletions.join(", ")},
          account AS (DELETE FROM ${schema}.budgets WHERE account = $2)
          DELETE FROM ${schema}.sessions WHERE context_id = $1`,
        values: [contextId, sessionAccount(contextId)],
      });
      onDeleted(contextId);
    },
  };
}
