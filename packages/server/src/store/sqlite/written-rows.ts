import type { SessionRow, TaskRow } from "./rows.js";

/** A cache of rows that this process wrote, so that an append need not read them. */
export interface WrittenRows {
  readonly sessions: RecentRows<SessionRow>;
  readonly tasks: RecentRows<TaskRow>;
  /** Clears the cache. Called when its rows may differ from the stored rows, for example after a rollback. */
  clear(): void;
}

/** The most recently written rows, by key. */
export interface RecentRows<TRow> {
  get(key: string): TRow | undefined;
  set(key: string, row: TRow): void;
  /** Removes a row; returns false if the cache had no such row. */
  delete(key: string): boolean;
}

/** Maximum number of cached rows of each table. It is higher than the default limit of simultaneous turns. */
const MAX_ROWS = 512;

/** Creates an empty cache. */
export function createWrittenRows(): WrittenRows {
  const sessions = new Map<string, SessionRow>();
  const tasks = new Map<string, TaskRow>();
  return {
    sessions: toRecent(sessions),
    tasks: toRecent(tasks),
    clear() {
      sessions.clear();
      tasks.clear();
    },
  };
}

function toRecent<TRow>(rows: Map<string, TRow>): RecentRows<TRow> {
  return {
    get: (key) => rows.get(key),
    delete: (key) => rows.delete(key),
    set(key, row) {
      rows.delete(key);
      rows.set(key, row);
      const [oldest] = rows.keys();
      if (rows.size > MAX_ROWS && oldest !== undefined) rows.delete(oldest);
    },
  };
}
