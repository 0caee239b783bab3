import { constants } from "node:os";

/** An error of the driver. Not every method gives the code of SQLite; the text is always SQLite's. */
interface SqliteError extends Error {
  readonly code: "ERR_SQLITE_ERROR";
  readonly errcode?: number;
  readonly systemErrno?: number;
}

/**
 * What an error of SQLite says about the file: `full` passes when there is room, `damaged` does not
 * pass, `failing` may pass (locked, not permitted), and `rule` says nothing about the file.
 */
export type SqliteFaultKind = "full" | "damaged" | "failing" | "rule";

// Primary result codes, see https://www.sqlite.org/rescode.html
const ERROR = 1;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CONSTRAINT = 19;
const MISMATCH = 20;
const NOTADB = 26;
/** Out of memory inside the file layer: says nothing about the file. */
const IOERR_NOMEM = 3_082;

const { ENOSPC, EDQUOT, EFBIG } = constants.errno;

/** Classifies what the driver threw; undefined if it was not SQLite that failed. */
export function classifySqliteError(error: unknown): SqliteFaultKind | undefined {
  if (!isSqliteError(error)) return undefined;
  const { errcode, systemErrno, message } = error;
  if (errcode === undefined) return classifyText(message);
  switch (errcode & 0xff) {
    case FULL:
      return "full";
    case IOERR:
      if (errcode === IOERR_NOMEM) return "failing";
      // A quota or a limit of the process is room that is missing, whatever SQLite calls it.
      return [ENOSPC, EDQUOT, EFBIG].includes(systemErrno ?? 0) ? "full" : "damaged";
    case CORRUPT:
    case NOTADB:
      return "damaged";
    case ERROR:
    case CONSTRAINT:
    case MISMATCH:
      return "rule";
    default:
      return "failing";
  }
}

// Only reads come without a code, and those neither need room nor break a rule.
function classifyText(message: string): SqliteFaultKind {
  const isDamage =
    /disk image is malformed|malformed database schema|not a database|disk I\/O error/;
  if (isDamage.test(message)) return "damaged";
  return /locked|busy|unable to open/.test(message) ? "failing" : "rule";
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
}
