import { constants } from "node:os";

/** An error of the driver. Some methods leave out the error code of SQLite, but never its message. */
interface SqliteError extends Error {
  readonly code: "ERR_SQLITE_ERROR";
  readonly errcode?: number;
  readonly systemErrno?: number;
}

/**
 * The meaning of an error for the file. `full` lasts until the disk has space. `damaged` is permanent. `failing` may be
 * temporary, such as a lock. An `unrelated` error is not caused by the file.
 */
export type SqliteFaultKind = "full" | "damaged" | "failing" | "unrelated";

// Primary result codes, see https://www.sqlite.org/rescode.html
const ERROR = 1;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CONSTRAINT = 19;
const MISMATCH = 20;
const NOTADB = 26;
/** Out of memory in the file layer. It does not mean that the file is damaged. */
const IOERR_NOMEM = 3_082;

const { ENOSPC, EDQUOT, EFBIG } = constants.errno;

/** Classifies an error of the driver; undefined if it is not from SQLite. */
export function classifySqliteError(error: unknown): SqliteFaultKind | undefined {
  if (!isSqliteError(error)) return undefined;
  const { errcode, systemErrno, message } = error;
  if (errcode === undefined) return classifyText(message);
  switch (errcode & 0xff) {
    case FULL:
      return "full";
    case IOERR:
      if (errcode === IOERR_NOMEM) return "failing";
      // A reached quota or file size limit means that there is no space, although SQLite reports an I/O error.
      return [ENOSPC, EDQUOT, EFBIG].includes(systemErrno ?? 0) ? "full" : "damaged";
    case CORRUPT:
    case NOTADB:
      return "damaged";
    case ERROR:
    case CONSTRAINT:
    case MISMATCH:
      return "unrelated";
    default:
      return "failing";
  }
}

// Classifies an error without a code by its text. Only errors of reads have no code. Reads need no disk space and
// violate no constraint.
function classifyText(message: string): SqliteFaultKind {
  const isDamage =
    /disk image is malformed|malformed database schema|not a database|disk I\/O error/;
  if (isDamage.test(message)) return "damaged";
  return /locked|busy|unable to open/.test(message) ? "failing" : "unrelated";
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
}
