import { ERROR_CODES, type ErrorCode } from "./error-codes.js";

/** Data about an error that a program can act on. Plain JSON. */
export type ErrorData = Readonly<Record<string, unknown>>;

/**
 * The refusal of a request.
 *
 * The message is one sentence about the fault. The message never contains file content, environment
 * values or tokens. Callers branch on `code`.
 */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  /** Reason, as a word to branch on. */
  readonly code: ErrorCode;
  /** Data for a program, such as the client that answered first. */
  readonly data: ErrorData | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions & { data?: ErrorData } = {}) {
    super(message, options);
    this.code = code;
    this.data = options.data;
  }
}

/**
 * Returns true for a {@link ProtocolError}, including one of another copy of this package. Returns false if that
 * copy has a newer version and its error has a code that this version does not know.
 */
export function isProtocolError(value: unknown): value is ProtocolError {
  if (!(value instanceof Error) || value.name !== "ProtocolError" || !("code" in value))
    return false;
  return Object.hasOwn(ERROR_CODES, String(value.code));
}
