import type { PushStore } from "../../push-store.js";
import { APPEND_COLUMNS } from "../append/append-columns.js";
import { resetPush } from "../append/append-statement.js";
import type { Database } from "../database/open-connections.js";
import { heldByOther } from "../postgres-reader.js";
import { decodePushRow, progressValues, pushValues } from "./push-rows.js";

/** Options of {@link createPostgresPushes}. */
export interface PostgresPushesOptions {
  readonly database: Pick<Database, "query">;
  readonly schema: string;
  readonly instance: { readonly id: string };
}

const COLUMNS = Object.keys(APPEND_COLUMNS.pushes).join(", ");
const VALUES = Object.values(APPEND_COLUMNS.pushes)
  .map((type, index) => `$${index + 1}::${type}`)
  .join(", ");

/** Creates the outbox of a Postgres store. */
export function createPostgresPushes(options: PostgresPushesOptions): PushStore {
  const { database, schema, instance } = options;
  const pushes = `${schema}.pushes`;
  // A query without a session is for all sessions.
  const inScope = (parameter: string) =>
    `(${parameter}::text IS NULL OR context_id = ${parameter})`;

  return {
    async savePush(push, { maxPerTask }) {
      const rows = await database.query({
        text: `INSERT INTO ${pushes} (${COLUMNS}) SELECT ${VALUES}
          WHERE (SELECT count(*) FROM ${pushes} WHERE task_id = $2 AND config_id <> $3) < $13
          ${resetPush()} RETURNING config_id`,
        values: [...pushValues(push), maxPerTask],
      });
      return rows.length > 0;
    },
    async listPushes(taskId) {
      const rows = await database.query({
        text: `SELECT * FROM ${pushes} WHERE task_id = $1 ORDER BY config_id`,
        values: [taskId],
      });
      return rows.map(decodePushRow);
    },
    async deletePush({ taskId, configId }) {
      await database.query({
        text: `DELETE FROM ${pushes} WHERE task_id = $1 AND config_id = $2`,
        values: [taskId, configId],
      });
    },
    async notePush({ taskId, configId, revision }, progress, claim) {
      const key = [taskId, configId, revision];
      const rows = await database.query({
        name: `note push ${schema}`,
        // Only the instance that makes an attempt changes the config. The position never moves back.
        text: `UPDATE ${pushes} SET after_position = greatest(after_position, $4), is_task_due = $5,
            attempts = $6, failures = $7, next_attempt_at = $8, last_error = $9, has_given_up = $10,
            claimed_by = CASE WHEN $12::bigint IS NULL THEN NULL ELSE $11::uuid END,
            claimed_until = clock_timestamp() + $12::bigint * interval '1 millisecond'
          WHERE task_id = $1 AND config_id = $2 AND revision = $3
            AND (coalesce(claimed_until < clock_timestamp(), true) OR claimed_by = $11::uuid)
            AND ($12::bigint IS NULL OR (after_position = $4 AND attempts = $6 - 1))
          RETURNING config_id`,
        values: [...key, ...progressValues(progress), instance.id, claim?.ms ?? null],
      });
      return rows.length > 0;
    },
    async claimPushes({ now, limit, contextId }) {
      // A row that another instance claims at this moment is left out.
      const rows = await database.query({
        text: `WITH due AS (
            SELECT task_id, config_id, next_attempt_at FROM ${pushes}
            WHERE next_attempt_at <= $1 AND ${inScope("$3")}
            ORDER BY next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED
          ), claimed AS (
            UPDATE ${pushes} AS p SET next_attempt_at = NULL FROM due AS d
            WHERE p.task_id = d.task_id AND p.config_id = d.config_id
            RETURNING p.*, d.next_attempt_at AS due_at
          )
          SELECT * FROM claimed ORDER BY due_at, config_id DESC`,
        values: [now, limit, contextId ?? null],
      });
      return rows.map(decodePushRow);
    },
    async countWaitingPushes({ contextId } = {}) {
      const [row] = await database.query({
        text: `SELECT count(*) AS count, min(next_attempt_at) AS next_at FROM ${pushes}
          WHERE next_attempt_at IS NOT NULL AND ${inScope("$1")}`,
        values: [contextId ?? null],
      });
      const count = Number(row?.count);
      return count === 0 ? { count } : { count, nextAt: String(row?.next_at) };
    },
    async resumePushes(nextAttemptAt, { contextId } = {}) {
      const [row] = await database.query({
        // Configs of sessions that another instance holds are left to that instance.
        text: `WITH resumed AS (
            UPDATE ${pushes} AS p SET next_attempt_at = $2
            FROM ${schema}.tasks AS t JOIN ${schema}.sessions AS s USING (context_id)
            WHERE t.task_id = p.task_id AND p.next_attempt_at IS NULL AND NOT p.has_given_up
              AND coalesce(p.claimed_until < clock_timestamp(), true)
              AND (p.is_task_due OR p.after_position < t.last_position)
              AND ($3::text IS NULL OR p.context_id = $3) AND NOT ${heldByOther(schema)}
          )
          SELECT EXISTS (SELECT 1 FROM ${pushes} WHERE ${inScope("$3")}) AS has_any`,
        values: [instance.id, nextAttemptAt, contextId ?? null],
      });
      return row?.has_any === true;
    },
  };
}
