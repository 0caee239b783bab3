import {
  buildTaskPage,
  decodePageToken,
  type StoredTaskPage,
  type TaskQuery,
} from "../task-page.js";
import type { Database } from "./database/open-connections.js";
import { decodeTaskRow } from "./rows.js";

/** The columns of a task `t` with the creation time of its session `s`. */
export const LISTED_TASK_COLUMNS = "t.*, s.created_at AS session_created_at";

/** Lists tasks, the latest change first. */
export async function listStoredTasks(
  { limit, after, owner, contextId, state, since }: TaskQuery,
  { database, schema }: { readonly database: Pick<Database, "query">; readonly schema: string },
): Promise<StoredTaskPage> {
  const end = after === undefined ? undefined : decodePageToken(after);
  const filters = [owner, contextId ?? null, state ?? null, since ?? null];
  const conditions = `t.owner = $1 AND ($2::text IS NULL OR t.context_id = $2)
    AND ($3::text IS NULL OR t.state = $3) AND ($4::text IS NULL OR t.updated_at >= $4)`;
  const [counted] = await database.query({
    text: `SELECT count(*) AS total FROM ${schema}.tasks AS t WHERE ${conditions}`,
    values: filters,
  });
  const rows = await database.query({
    text: `SELECT ${LISTED_TASK_COLUMNS} FROM ${schema}.tasks AS t
      JOIN ${schema}.sessions AS s USING (context_id)
      WHERE ${conditions} AND ($5::text IS NULL OR (t.updated_at, t.task_id) < ($5, $6::text))
      ORDER BY t.updated_at DESC, t.task_id DESC LIMIT $7`,
    values: [...filters, end?.updatedAt ?? null, end?.taskId ?? null, safeLimit(limit + 1)],
  });
  return buildTaskPage(rows.map(decodeTaskRow), { limit, total: Number(counted?.total) });
}

/** Returns a limit that is a safe integer, because some callers ask for all tasks. */
function safeLimit(limit: number): number {
  return Math.min(limit, Number.MAX_SAFE_INTEGER);
}
