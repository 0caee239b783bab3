import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { AUDIT_SQL } from "./audit/audit-sql.js";
import { BUDGET_SQL } from "./budgets/budget-sql.js";
import { GRANT_SQL } from "./grants/grant-sql.js";
import { PUSH_SQL } from "./pushes/push-sql.js";
import { TOKEN_SQL } from "./tokens/token-sql.js";

/** The columns of a task, with the creation time of its session. */
export const TASK_COLUMNS = `tasks.*, (
    SELECT created_at FROM sessions WHERE sessions.context_id = tasks.context_id
  ) AS session_created_at`;

/** The SQL of the store, by name. */
const SQL = {
  insertSession: `INSERT INTO sessions (context_id, owner, settings, created_at, last_seq,
      last_active_at, last_prompt, last_number, epoch, commit_number, checksum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  // No row changes if another holder has changed the row since it was read.
  advanceSession: `UPDATE sessions SET last_seq = ?, last_active_at = ?, last_prompt = ?,
      last_number = ?, epoch = ?, commit_number = ?, checksum = ?
    WHERE context_id = ? AND epoch = ? AND last_seq = ? AND commit_number = ?`,
  listSessions: `SELECT * FROM sessions WHERE owner = ?1 AND last_prompt <> ''
      AND CASE WHEN ?2 = '' OR NOT json_valid(settings) THEN 1
        ELSE settings ->> 'workspacePath' = ?2 END
    ORDER BY last_active_at DESC, context_id DESC LIMIT ?3`,
  listOwnSessions: "SELECT * FROM sessions WHERE owner = ?",
  listSessionTasks: "SELECT * FROM tasks WHERE context_id = ?",
  giveSession: "UPDATE sessions SET owner = ?, checksum = ? WHERE context_id = ?",
  giveTask: "UPDATE tasks SET owner = ?, checksum = ? WHERE task_id = ?",
  insertEvent:
    "INSERT INTO events (context_id, seq, task_id, event, epoch, checksum) VALUES (?, ?, ?, ?, ?, ?)",
  insertJournal: "INSERT INTO journal (context_id, number, record, checksum) VALUES (?, ?, ?, ?)",
  insertTask: `INSERT INTO tasks (task_id, context_id, owner, state, last_seq, first_seq, updated_at,
      epoch, dialect, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  advanceTask: `UPDATE tasks SET state = ?, last_seq = ?, updated_at = ?, epoch = ?, checksum = ?
    WHERE task_id = ?`,
  insertReceipt: `INSERT INTO receipts (principal, message_id, context_id, task_id, turn, after_seq,
      digest, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  findSession: "SELECT * FROM sessions WHERE context_id = ?",
  findTask: `SELECT ${TASK_COLUMNS} FROM tasks WHERE task_id = ?`,
  findReceipt: "SELECT * FROM receipts WHERE principal = ? AND message_id = ?",
  // Reads the sizes of events without their text.
  readEventSizes: `SELECT octet_length(event) AS bytes FROM events
    WHERE context_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  // The columns are in the order of EventColumns.
  readEvents: `SELECT seq, task_id, event, checksum, epoch FROM events
    WHERE context_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  readJournal: "SELECT * FROM journal WHERE context_id = ? ORDER BY number",
  listUnfinished: "SELECT DISTINCT context_id FROM tasks WHERE state IN ('submitted', 'working')",
  listUntouched: `SELECT context_id FROM sessions WHERE last_active_at < ? AND context_id NOT IN (
      SELECT context_id FROM tasks WHERE state IN ('submitted', 'working')
    )`,
  countTasks: "SELECT state, count(*) AS count FROM tasks GROUP BY state",
  countOwnTasks: "SELECT state, count(*) AS count FROM tasks WHERE owner = ? GROUP BY state",
  findView: "SELECT * FROM views WHERE task_id = ?",
  saveView:
    "INSERT OR REPLACE INTO views (task_id, context_id, seq, view, checksum) VALUES (?, ?, ?, ?, ?)",
  deleteViews: "DELETE FROM views WHERE context_id = ?",
  deleteEvents: "DELETE FROM events WHERE context_id = ?",
  deleteJournal: "DELETE FROM journal WHERE context_id = ?",
  deleteTasks: "DELETE FROM tasks WHERE context_id = ?",
  deleteReceipts: "DELETE FROM receipts WHERE context_id = ?",
  deleteSession: "DELETE FROM sessions WHERE context_id = ?",
  ...PUSH_SQL,
  ...AUDIT_SQL,
  ...TOKEN_SQL,
  ...BUDGET_SQL,
  ...GRANT_SQL,
} as const;

/** The statements, by name. */
export type Statements = Readonly<Record<keyof typeof SQL, StatementSyncInstance>>;

/** Prepares all statements of a store. */
export function prepareStatements(database: DatabaseSyncInstance): Statements {
  const prepared = Object.entries(SQL).map(([name, text]) => [name, database.prepare(text)]);
  const statements = Object.fromEntries(prepared) as Statements;
  // Rows of events are returned as arrays, because objects take a third longer.
  statements.readEvents.setReturnArrays(true);
  return statements;
}
