import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { SetupError } from "@dt/schema";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase, toSetupError } from "./open-database.js";
import { openFile } from "./open-file.js";
import { MIGRATIONS } from "./schema.js";

/** Creates the path of a file in a folder that is deleted after the test. */
function createPath(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "dt-database-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, "store.db");
}

function read(database: DatabaseSyncInstance, pragma: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
}

const PRAGMAS = [
  "journal_mode",
  "synchronous",
  "busy_timeout",
  "application_id",
  "user_version",
  "max_page_count",
];

test("a new database has our application id and settings, and the given limits", () => {
  const database = openDatabase({
    file: createPath(),
    maxBytes: 1024 * 1024 + 1,
    busyMs: 77,
    shouldCheckPages: true,
  });

  const values = PRAGMAS.map((pragma) => read(database, pragma));
  database.close();

  expect(values).toEqual(["wal", 1, 77, 0x64747373, expect.any(Number), 256]);
});

test("a database without a size limit may have over a million pages", () => {
  const database = openDatabase({
    file: createPath(),
    maxBytes: undefined,
    busyMs: 0,
    shouldCheckPages: true,
  });

  const pages = Number(read(database, "max_page_count"));
  database.close();

  expect(pages).toBeGreaterThan(1_000_000);
});

test.each([
  ["another application id", "PRAGMA application_id = 5"],
  ["a version without our tables", "PRAGMA user_version = 1"],
  ["only some of our tables", "CREATE TABLE sessions (a); PRAGMA user_version = 1"],
  ["our tables without a version", "CREATE TABLE sessions (a); CREATE TABLE journal (a)"],
])("a database with %s is refused as the database of another program", (_what, sql) => {
  const file = createPath();
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();

  expect(() => openFile({ file, isShared: false, checkedBytes: 0 })).toThrow(
    expect.objectContaining({
      name: "SetupError",
      message: `${file} is the database of another program and was not changed; choose another DT_DATA_DIR`,
    }),
  );
});

test("a path that cannot be used is refused with the reason", () => {
  const file = createPath();
  mkdirSync(file);
  const beside = path.join(path.dirname(file), "text");
  writeFileSync(beside, "");
  const open = (at: string) => () => openFile({ file: at, isShared: true, checkedBytes: 0 });

  expect(open(file)).toThrow(
    expect.objectContaining({
      name: "SetupError",
      message: expect.stringMatching(/store\.db cannot be opened: .*; choose another DT_DATA_DIR$/),
      cause: expect.any(Error),
    }),
  );
  expect(open(path.join(beside, "store.db"))).toThrow(
    expect.objectContaining({
      name: "SetupError",
      message: expect.stringContaining(`${beside} cannot be created`),
      cause: expect.any(Error),
    }),
  );
});

test("a file is locked until it is closed, unless it is shared", () => {
  const file = createPath();
  const open = (isShared: boolean) => openFile({ file, isShared, checkedBytes: 0 });
  const first = open(false);

  expect(() => open(false)).toThrow(
    expect.objectContaining({
      message: `${file} is in use by another process; stop it or choose another DT_DATA_DIR`,
    }),
  );
  const shared = open(true);
  shared.database.close();
  first.database.close();
  first.lock?.release();
  const second = open(false);

  expect([first.busyMs, shared.busyMs, shared.lock]).toEqual([1_000, 5_000, undefined]);
  second.database.close();
  second.lock?.release();
});

test("a file that is not a database is refused as damaged, with the error of SQLite as the cause", () => {
  const file = createPath();
  writeFileSync(file, "no database ".repeat(1_000));

  expect(() => openFile({ file, isShared: false, checkedBytes: 0 })).toThrow(
    expect.objectContaining({
      name: "SetupError",
      message: `${file} is damaged (file is not a database) and was not changed; restore a backup, or choose another DT_DATA_DIR`,
      cause: expect.objectContaining({ message: "file is not a database" }),
    }),
  );
});

test("an error about a file is one line for the operator, whatever was thrown", () => {
  const known = new SetupError("choose another folder");

  expect(toSetupError("a.db", known)).toBe(known);
  expect(toSetupError("a.db", new Error("first\n  second")).message).toBe(
    "a.db cannot be opened: first second; choose another DT_DATA_DIR",
  );
  expect(toSetupError("a.db", "no handle").message).toBe(
    "a.db cannot be opened: no handle; choose another DT_DATA_DIR",
  );
  expect(toSetupError("a.db", "database disk image is malformed").message).toBe(
    "a.db is damaged (database disk image is malformed) and was not changed; restore a backup, or choose another DT_DATA_DIR",
  );
});

test("a migration that fails leaves the file as it was", () => {
  const file = createPath();
  const older = new DatabaseSync(file);
  older.exec("CREATE TABLE sessions (a); CREATE TABLE journal (a); CREATE TABLE receipts (a)");
  older.exec("PRAGMA user_version = 1");
  older.close();
  const options = { file, maxBytes: undefined, busyMs: 1_000, shouldCheckPages: false };

  expect(() => openDatabase(options)).toThrow(/cannot be opened: .*; choose another DT_DATA_DIR/);

  const again = new DatabaseSync(file);
  expect([read(again, "user_version"), read(again, "application_id")]).toEqual([1, 0]);
  const tables = again.prepare("SELECT name FROM sqlite_schema ORDER BY name").all();
  expect(tables.map((row) => Object.values(row as object)[0])).toEqual([
    "journal",
    "receipts",
    "sessions",
  ]);
  again.close();
});

test("a file without its tables is refused with the error of SQLite, and is not locked afterwards", () => {
  const file = createPath();
  const emptied = new DatabaseSync(file);
  emptied.exec(`PRAGMA application_id = ${0x64747373}; PRAGMA user_version = ${MIGRATIONS.length}`);
  emptied.close();
  const open = () => openFile({ file, isShared: false, checkedBytes: 0 });

  for (let count = 0; count < 2; count += 1) {
    expect(open).toThrow(/cannot be opened: no such table: \w+; choose another DT_DATA_DIR$/);
  }
});
