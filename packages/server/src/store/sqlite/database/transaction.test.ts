import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, expect, test } from "vitest";
import { createTransaction } from "./transaction.js";

const folder = mkdtempSync(path.join(tmpdir(), "dt-transaction-"));
afterAll(() => rmSync(folder, { recursive: true }));

function openFile(name: string, timeout = 0) {
  const database = new DatabaseSync(path.join(folder, name), { timeout });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  database.exec("CREATE TABLE IF NOT EXISTS kept (value)");
  const ask = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
  return { database, ask };
}

const FULL = 2;
const NORMAL = 1;

test("only a critical commit is flushed to disk before it is acknowledged [LOG-03]", () => {
  const { database, ask } = openFile("durable.db");
  const transact = createTransaction(database, 0);
  const seen: unknown[] = [];
  const look = () => seen.push(ask("PRAGMA synchronous"));

  transact(look);
  transact(look, true);
  transact(look, true);
  transact(look);

  expect(seen).toEqual([NORMAL, FULL, FULL, NORMAL]);
  database.close();
});

test("work that fails is rolled back, and later work succeeds", () => {
  const { database, ask } = openFile("whole.db");
  const transact = createTransaction(database, 0);

  expect(() =>
    transact(() => {
      database.exec("INSERT INTO kept VALUES (1)");
      throw new Error("broken");
    }),
  ).toThrow("broken");
  transact(() => database.exec("INSERT INTO kept VALUES (2)"));

  expect(ask("SELECT group_concat(value) FROM kept")).toBe("2");
  database.close();
});

test("after a lock timeout, transactions fail at once until one of them gets the lock", () => {
  const { database, ask } = openFile("busy.db", 10);
  const other = openFile("busy.db").database;
  const transact = createTransaction(database, 10);
  other.exec("BEGIN IMMEDIATE");

  expect(() => transact(() => {})).toThrow("locked");
  const timeoutAfterFailure = ask("PRAGMA busy_timeout");
  other.exec("COMMIT");
  transact(() => {});
  const timeoutAfterSuccess = ask("PRAGMA busy_timeout");
  other.exec("BEGIN IMMEDIATE");
  expect(() => transact(() => {})).toThrow("locked");

  expect([timeoutAfterFailure, timeoutAfterSuccess, ask("PRAGMA busy_timeout")]).toEqual([
    0, 10, 0,
  ]);
  database.close();
  other.close();
});
