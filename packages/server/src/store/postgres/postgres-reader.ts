import type { SessionStore } from "../session-store.js";
import type { Database, PostgresRow, Statement } from "./database/open-connections.js";
import { LISTED_TASK_COLUMNS, listStoredTasks } from "./list-tasks.js";
import { readStoredEvents } from "./read-events.js";
import { readJournal } from "./read-journal.js";
import { decodeReceiptRow, decodeSessionRow, decodeTaskRow, decodeViewRow } from "./rows.js";

/** The methods of a Postgres store that read. */
export type PostgresReader = Pick<
  SessionStore,
  | "findSession"
  | "listSessions"
  | "findTask"
  | "listTasks"
  | "countTasks"
  | "findReceipt"
  | "readEvents"
  | "findView"
  | "readJournal"
  | "listUnfinished"
  | "listUntouched"
>;

/** Options of {@link createPostgresReader}. */
export interface PostgresReaderOptions {
  readonly database: Pick<Database, "query">;
  readonly schema: string;
  readonly instance: { readonly id: string };
  /** Pool of this instance. */
  readonly pool: string;
  /** Records the session of a damaged row, and throws the error again. */
  noteDamage(error: unknown): never;
}

/** The states of tasks that have work to do. */
const ACTIVE = "('submitted', 'working')";

/** Creates the reading methods of a Postgres store. */
export function createPostgresReader(options: PostgresReaderOptions): PostgresReader {
  const { database, schema, instance, pool, noteDamage } = options;

  /** Reads one row at most. */
  async function find<TValue>(
    { name, ...statement }: Statement,
    toValue: (row: PostgresRow) => TValue,
  ): Promise<TValue | undefined> {
    const [row] = await database.query({ ...statement, name: `${name} ${schema}` });
    return row && toValue(row);
  }

  return {
    findSession: (contextId) =>
      find(
        {
          name: "find session",
          text: `SELECT * FROM ${schema}.sessions WHERE context_id = $1`,
          values: [contextId],
        },
        decodeSessionRow,
      ).catch(noteDamage),
    async listSessions({ owner, workspacePath, limit }) {
      const rows = await database.query({
        text: `SELECT * FROM ${schema}.sessions WHERE owner = $1 AND last_prompt IS NOT NULL
            AND ($2::text IS NULL OR workspace_path = $2)
          ORDER BY last_active_at DESC, context_id DESC LIMIT $3`,
        values: [owner, workspacePath ?? null, limit],
      });
      return rows.map(decodeSessionRow);
    },
    findTask: (taskId) =>
      find(
        {
          name: "find task",
          text: `SELECT ${LISTED_TASK_COLUMNS} FROM ${schema}.tasks AS t
            JOIN ${schema}.sessions AS s USING (context_id) WHERE t.task_id = $1`,
          values: [taskId],
        },
        decodeTaskRow,
      ),
    listTasks: (query) => listStoredTasks(query, { database, schema }),
    async countTasks(owner) {
      const [row] = await database.query({
        text: `SELECT count(*) AS total, count(*) FILTER (WHERE state IN ${ACTIVE}) AS active
          FROM ${schema}.tasks WHERE $1::text IS NULL OR owner = $1`,
        values: [owner ?? null],
      });
      return { active: Number(row?.active), total: Number(row?.total) };
    },
    findReceipt: (user, messageId) =>
      find(
        {
          name: "find receipt",
          text: `SELECT * FROM ${schema}.receipts WHERE user_name = $1 AND message_id = $2`,
          values: [user, messageId],
        },
        decodeReceiptRow,
      ),
    readEvents: (query) => readStoredEvents(query, { database, schema }).catch(noteDamage),
    findView: (taskId) =>
      find(
        {
          name: "find view",
          text: `SELECT * FROM ${schema}.views WHERE task_id = $1`,
          values: [taskId],
        },
        decodeViewRow,
      ),
    readJournal: (contextId) => readJournal(contextId, { database, schema }).catch(noteDamage),
    async listUnfinished() {
      // Sessions of other live instances and of other pools are left out, because other instances end their
      // tasks.
      const rows = await database.query({
        text: `SELECT DISTINCT context_id FROM ${schema}.tasks AS t
          JOIN ${schema}.sessions AS s USING (context_id)
          WHERE t.state IN ${ACTIVE} AND coalesce(s.pool, $2) = $2 AND NOT ${heldByOther(schema)}`,
        values: [instance.id, pool],
      });
      return rows.map(({ context_id }) => String(context_id));
    },
    async listUntouched(since) {
      const rows = await database.query({
        text: `SELECT context_id FROM ${schema}.sessions AS s
          WHERE last_active_at < $2 AND coalesce(s.pool, $3) = $3 AND NOT ${heldByOther(schema)}
          AND NOT EXISTS (
            SELECT 1 FROM ${schema}.tasks AS t
            WHERE t.context_id = s.context_id AND t.state IN ${ACTIVE}
          )`,
        values: [instance.id, since, pool],
      });
      return rows.map(({ context_id }) => String(context_id));
    },
  };
}

/** Returns the condition that a live instance other than `$1` holds the session `s`. */
export function heldByOther(schema: string): string {
  return `(s.holder IS NOT NULL AND s.holder <> $1::uuid AND EXISTS (
      SELECT 1 FROM ${schema}.instances AS i
      WHERE i.id = s.holder AND i.lease_until > clock_timestamp()
    ))`;
}
