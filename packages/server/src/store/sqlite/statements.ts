import type Database from "libsql";
import { pushSql } from "./push-sql.js";

/** A task with what it takes from its session. */
export const TASK_COLUMNS = `tasks.*, (
    SELECT created_at FROM sessions WHERE sessions.context_id = tasks.context_id
  ) AS session_created_at`;

/** Everything that is asked of the database. */
const sql = {
  insertSession: `INSERT INTO sessions (context_id, owner, settings, created_at, last_active_at, last_seq)
    VALUES (?1, ?2, ?3, ?4, ?5, 0)`,
  // Only from the place before: a second writer, or a gap, changes nothing.
  advanceSession: `UPDATE sessions SET last_seq = ?, last_active_at = ?
    WHERE context_id = ? AND last_seq = ?`,
  setLastPrompt: "UPDATE sessions SET last_prompt = ? WHERE context_id = ?",
  listSessions: `SELECT * FROM sessions WHERE owner = ?1 AND last_prompt <> ''
      AND (?2 = '' OR settings ->> 'workspacePath' = ?2)
    ORDER BY last_active_at DESC, context_id DESC LIMIT ?3`,
  // A run of events of one task is one call: what is handed over is the JSON of them all, and the
  // place before the first.
  insertEvents: `INSERT INTO events (context_id, seq, task_id, event)
    SELECT ?, ? + 1 + key, ?, value FROM json_each(?)`,
  insertJournal: "INSERT INTO journal (context_id, number, record) VALUES (?, ?, ?)",
  upsertTask: `INSERT INTO tasks (task_id, context_id, owner, state, first_seq, last_seq, updated_at)
    SELECT ?, context_id, owner, ?, ?, ?, ? FROM sessions WHERE context_id = ?
    ON CONFLICT (task_id) DO UPDATE SET state = excluded.state, last_seq = excluded.last_seq,
      updated_at = excluded.updated_at`,
  insertReceipt: `INSERT INTO receipts (principal, message_id, context_id, task_id, turn, after_seq)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  findSession: "SELECT * FROM sessions WHERE context_id = ?",
  findTask: `SELECT ${TASK_COLUMNS} FROM tasks WHERE task_id = ?`,
  findReceipt: "SELECT * FROM receipts WHERE principal = ? AND message_id = ?",
  lastJournal: "SELECT coalesce(max(number), 0) AS number FROM journal WHERE context_id = ?",
  // Says how long texts are without reading them.
  sizeEvents: `SELECT octet_length(event) AS bytes FROM events
    WHERE context_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  readEvents: "SELECT seq, event FROM events WHERE context_id = ? AND seq > ? ORDER BY seq LIMIT ?",
  readTaskEvents: `SELECT e.seq, e.event FROM tasks t JOIN events e ON e.context_id = t.context_id
      AND e.seq > max(?2, t.first_seq - 1) AND e.seq <= t.last_seq AND e.task_id = t.task_id
    WHERE t.task_id = ?1 ORDER BY e.seq LIMIT ?3`,
  readTaskKinds: `SELECT e.seq, e.event FROM tasks t JOIN events e ON e.context_id = t.context_id
      AND e.seq > max(?2, t.first_seq - 1) AND e.seq <= min(?5, t.last_seq)
      AND e.task_id = t.task_id
    WHERE t.task_id = ?1 AND e.event ->> 'kind' IN (SELECT value FROM json_each(?4))
    ORDER BY e.seq LIMIT ?3`,
  readJournal: "SELECT record FROM journal WHERE context_id = ? ORDER BY number",
  listUnfinished: "SELECT DISTINCT context_id FROM tasks WHERE state IN ('submitted', 'working')",
  listUntouched: `SELECT context_id FROM sessions WHERE last_active_at < ? AND context_id NOT IN (
      SELECT context_id FROM tasks WHERE state IN ('submitted', 'working')
    )`,
  countTasks: "SELECT state, count(*) AS count FROM tasks GROUP BY state",
  countOwnTasks: "SELECT state, count(*) AS count FROM tasks WHERE owner = ? GROUP BY state",
  findView: "SELECT * FROM views WHERE task_id = ?",
  saveView: `INSERT INTO views (task_id, context_id, seq, view) VALUES (?, ?, ?, ?)
    ON CONFLICT (task_id) DO UPDATE SET seq = excluded.seq, view = excluded.view`,
  deleteViews: "DELETE FROM views WHERE context_id = ?",
  deleteEvents: "DELETE FROM events WHERE context_id = ?",
  deleteJournal: "DELETE FROM journal WHERE context_id = ?",
  deleteTasks: "DELETE FROM tasks WHERE context_id = ?",
  deleteReceipts: "DELETE FROM receipts WHERE context_id = ?",
  deleteSession: "DELETE FROM sessions WHERE context_id = ?",
  ...pushSql,
} as const;

/** The statements, by name. */
export type Statements = Readonly<Record<keyof typeof sql, Database.Statement>>;

/** Prepares every statement, once for the life of a store. */
export function prepareStatements(database: Database.Database): Statements {
  const prepared = Object.entries(sql).map(([name, text]) => [name, database.prepare(text)]);
  return Object.fromEntries(prepared) as Statements;
}
