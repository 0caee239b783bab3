import { SetupError } from "@dt/schema";
import { StoreFault } from "../../store-fault.js";

/**
 * Codes of the server for a connection that ends or is refused: shutdown, crash, start, too many connections.
 */
const ENDING = /^(57P0[1-5]|08...|53300)$/;
/** Codes of the operating system and of the driver. */
const NETWORK =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_|ENOTFOUND|ENOENT|EADDRNOTAVAIL)/;
/** Messages of the driver without a code. */
const DRIVER =
  /connection (is )?(terminated|ended|closed)|Connection terminated|timeout (exceeded|expired)|not queryable|was closed|Query read timeout/i;
/** Codes of a full disk and of full memory. */
const FULL = /^53[12]00$/;

/**
 * Returns true if a connection broke, or could not be opened. A statement that was under way may have been stored.
 * After any other error of the server, nothing was stored.
 */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isConnectionError);
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code !== undefined && (ENDING.test(code) || NETWORK.test(code))) return true;
  return code === undefined && DRIVER.test(error.message);
}

/** Returns true if an error says that a row with the same key exists. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === "23505";
}

/**
 * Converts an error of the driver to the fault that clients and the log get. Returns other errors unchanged.
 */
export function toStoreFault(error: unknown, address: string): unknown {
  if (isConnectionError(error)) return createAwayFault(address, error);
  const code = codeOf(error);
  if (code === undefined) return error;
  const { message } = error as Error;
  if (FULL.test(code)) {
    return new StoreFault("disk-full", `the database ${address} is full (${message}); free space`, {
      cause: error,
    });
  }
  return error;
}

/** Code of a role that lacks a right. */
const NO_RIGHT = "42501";

/**
 * Converts an error at the start to one that the operator can mend, if a right is missing. Returns other errors
 * unchanged.
 */
export function toRightsError(
  error: unknown,
  { address, schema }: { readonly address: string; readonly schema: string },
): unknown {
  if (codeOf(error) !== NO_RIGHT) return error;
  return new SetupError(
    `the role in the address of the database ${address} does not have all rights on the schema ${schema} (${(error as Error).message}); let it create the schema, or own its tables`,
    { cause: error },
  );
}

/** Creates the fault of a database that cannot be reached. */
export function createAwayFault(address: string, cause: unknown): StoreFault {
  const reason = describe(cause);
  return new StoreFault(
    "store-gone",
    `the database ${address} cannot be reached (${reason}); nothing is stored until it answers again`,
    { cause, isTemporary: true },
  );
}

function describe(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") {
    return error.errors.map(describe).join("; ");
  }
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
