import type { SessionRow, TaskRow } from "./rows.js";

/** The newest rows of sessions and tasks that this process wrote, so that an append need not read them. */
export interface WrittenRows {
  readonly sessions: RecentRows<SessionRow>;
  readonly tasks: RecentRows<TaskRow>;
  /** Forgets all of them: a transaction was rolled back, or someone else has written. */
  clear(): void;
}

/** Rows by their key, those used last. */
export interface RecentRows<TRow> {
  get(key: string): TRow | undefined;
  set(key: string, row: TRow): void;
  /** False if there was none. */
  delete(key: string): boolean;
}

/** More than there are sessions at work at a time. */
const MAX_ROWS = 512;

/** Remembers nothing yet. */
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
