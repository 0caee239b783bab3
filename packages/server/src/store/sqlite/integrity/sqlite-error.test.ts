import { constants } from "node:os";
import { expect, test } from "vitest";
import { classifySqliteError } from "./sqlite-error.js";

const failed = (about: object, message = "it failed") =>
  Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", ...about });

// Result codes: https://www.sqlite.org/rescode.html
test.each([
  ["SQLITE_ERROR", "unrelated", { errcode: 1 }],
  ["SQLITE_BUSY", "failing", { errcode: 5 }],
  ["SQLITE_IOERR_WRITE", "damaged", { errcode: 778 }],
  ["SQLITE_IOERR_WRITE with ENOSPC", "full", { errcode: 778, systemErrno: constants.errno.ENOSPC }],
  ["SQLITE_IOERR_WRITE with EDQUOT", "full", { errcode: 778, systemErrno: constants.errno.EDQUOT }],
  ["SQLITE_IOERR_WRITE with EFBIG", "full", { errcode: 778, systemErrno: constants.errno.EFBIG }],
  ["SQLITE_IOERR_NOMEM", "failing", { errcode: 3_082 }],
  ["SQLITE_CORRUPT_INDEX", "damaged", { errcode: 779 }],
  ["SQLITE_FULL", "full", { errcode: 13 }],
  ["SQLITE_CANTOPEN", "failing", { errcode: 14 }],
  ["SQLITE_CONSTRAINT_UNIQUE", "unrelated", { errcode: 2_067 }],
  ["SQLITE_MISMATCH", "unrelated", { errcode: 20 }],
  ["SQLITE_NOTADB", "damaged", { errcode: 26 }],
  ["SQLITE_NOTICE", "failing", { errcode: 27 }],
])("the error %s is classified as %s", (_, kind, about) => {
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
  ["no such table: x", "unrelated"],
])("an error without a code and with the text %j is classified as %s", (message, kind) => {
  expect(classifySqliteError(failed({}, message))).toBe(kind);
});

test("an error that is not from SQLite is not classified", () => {
  expect(classifySqliteError(new Error("database is locked"))).toBeUndefined();
  expect(classifySqliteError({ code: "ERR_SQLITE_ERROR", errcode: 11 })).toBeUndefined();
});
