import type Database from "libsql";

/** How many rows are read at a time: a few milliseconds of work. */
const SLICE = 500;

/** Every table by its key, and the text in it that may fill pages of its own. */
const tables = [
  { name: "sessions", key: ["context_id"], text: "settings" },
  { name: "tasks", key: ["task_id"], text: "state" },
  { name: "receipts", key: ["principal", "message_id"], text: "task_id" },
  { name: "journal", key: ["context_id", "number"], text: "record" },
  { name: "events", key: ["context_id", "seq"], text: "event" },
] as const;

/** Reads every row of a database, some at a time; throws where one cannot be read. */
export function* scanRows(database: Database.Database): Generator<void, void, undefined> {
  for (const { name, key, text } of tables) {
    const keys = key.join(", ");
    const places = key.map(() => "?").join(", ");
    const select = `SELECT ${keys}, length(${text}) FROM ${name}`;
    const order = `ORDER BY ${keys} LIMIT ${SLICE}`;
    const following = database.prepare(`${select} WHERE (${keys}) > (${places}) ${order}`);
    let rows = database.prepare(`${select} ${order}`).all() as Record<string, unknown>[];
    while (rows.length > 0) {
      yield;
      const last = rows.at(-1) ?? {};
      rows =
        rows.length < SLICE
          ? []
          : (following.all(...key.map((column) => last[column])) as Record<string, unknown>[]);
    }
  }
}
