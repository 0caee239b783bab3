import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import type { TaskRecord } from "../session-store.js";
import {
  decodePageToken,
  encodePageToken,
  type StoredTaskPage,
  type TaskQuery,
} from "../task-page.js";
import { type Row, toTask } from "./rows.js";
import { TASK_COLUMNS } from "./statements.js";

/**
 * Creates a function that lists tasks. The statement for each combination of filters is prepared once. A damaged row is
 * left out, and its error is passed to `onDamagedRow`. If the query is for one session, the function throws instead.
 */
export function createTaskLister(
  database: DatabaseSyncInstance,
  onDamagedRow: (error: unknown) => void,
): (query: TaskQuery) => StoredTaskPage {
  const prepared = new Map<string, StatementSyncInstance>();
  const prepare = (sql: string) => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };

  return ({ limit, after, ...query }) => {
    const filters = filtersOf(query);
    const end = after === undefined ? undefined : decodePageToken(after);
    const from = (conditions: readonly string[]) => `FROM tasks WHERE ${conditions.join(" AND ")}`;
    const count = prepare(`SELECT count(*) AS total ${from(Object.keys(filters))}`);
    const { total } = count.get(...Object.values(filters)) as { total: number };
    const paged = {
      ...filters,
      ...(end && { "(updated_at, task_id) < (?, ?)": [end.updatedAt, end.taskId] }),
    };
    const select = prepare(
      `SELECT ${TASK_COLUMNS} ${from(Object.keys(paged))} ORDER BY updated_at DESC, task_id DESC LIMIT ?`,
    );
    const rows = select.all(...Object.values(paged).flat(), limit + 1) as Row[];
    const shown = rows.slice(0, limit);
    const tasks = shown.flatMap((row): readonly TaskRecord[] => {
      try {
        return [toTask(row)];
      } catch (error) {
        if (query.contextId !== undefined) throw error;
        onDamagedRow(error);
        return [];
      }
    });
    const last = rows.length > limit ? shown.at(-1) : undefined;
    if (last === undefined) return { tasks, total };
    const ended = { updatedAt: String(last.updated_at), taskId: String(last.task_id) };
    return { tasks, total, next: encodePageToken(ended) };
  };
}

/** Builds the conditions of a query with their values. */
function filtersOf({ owner, contextId, state, since }: Omit<TaskQuery, "limit" | "after">) {
  const filters: Record<string, string> = { "owner = ?": owner };
  if (contextId !== undefined) filters["context_id = ?"] = contextId;
  if (state !== undefined) filters["state = ?"] = state;
  if (since !== undefined) filters["updated_at >= ?"] = since;
  return filters;
}
