import { constants } from "node:os";
import { expect, test } from "vitest";
import { classifySqliteError } from "./sqlite-error.js";

const failed = (about: object, message = "it failed") =>
  Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", ...about });

// Result codes: https://www.sqlite.org/rescode.html
test.each([
  ["SQLITE_ERROR", { errcode: 1 }, "rule"],
  ["SQLITE_BUSY", { errcode: 5 }, "failing"],
  ["SQLITE_IOERR_WRITE", { errcode: 778 }, "damaged"],
  ["SQLITE_IOERR_WRITE, no room", { errcode: 778, systemErrno: constants.errno.ENOSPC }, "full"],
  ["SQLITE_IOERR_WRITE, quota", { errcode: 778, systemErrno: constants.errno.EDQUOT }, "full"],
  ["SQLITE_IOERR_WRITE, limit", { errcode: 778, systemErrno: constants.errno.EFBIG }, "full"],
  ["SQLITE_IOERR_NOMEM", { errcode: 3_082 }, "failing"],
  ["SQLITE_CORRUPT_INDEX", { errcode: 779 }, "damaged"],
  ["SQLITE_FULL", { errcode: 13 }, "full"],
  ["SQLITE_CANTOPEN", { errcode: 14 }, "failing"],
  ["SQLITE_CONSTRAINT_UNIQUE", { errcode: 2_067 }, "rule"],
  ["SQLITE_MISMATCH", { errcode: 20 }, "rule"],
  ["SQLITE_NOTADB", { errcode: 26 }, "damaged"],
  ["SQLITE_NOTICE", { errcode: 27 }, "failing"],
])("%s says that the file is %#", (_, about, kind) => {
  expect(classifySqliteError(failed(about))).toBe(kind);
});

test.each([
  ["database disk image is malformed", "damaged"],
  ["malformed database schema (x)", "damaged"],
  ["file is not a database", "damaged"],
  ["disk I/O error", "damaged"],
  ["database is locked", "failing"],
  ["database is busy", "failing"],
  ["unable to open database file", "failing"],
  ["no such table: x", "rule"],
])("an error without a code is classified by its text: %j", (message, kind) => {
  expect(classifySqliteError(failed({}, message))).toBe(kind);
});

test("an error that is not from SQLite says nothing about the file", () => {
  expect(classifySqliteError(new Error("database is locked"))).toBeUndefined();
  expect(classifySqliteError({ code: "ERR_SQLITE_ERROR", errcode: 11 })).toBeUndefined();
});
