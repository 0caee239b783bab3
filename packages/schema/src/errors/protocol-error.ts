import { ERROR_CODES, type ErrorCode } from "./error-codes.js";

/** Data about an error that a program can act on. Plain JSON. */
export type ErrorData = Readonly<Record<string, unknown>>;

/** Maximum length of the message of a {@link ProtocolError}. */
const MAX_MESSAGE_LENGTH = 2_000;

/**
 * The refusal of a request.
 *
 * The message is one sentence about the fault, and never contains file content, environment values or tokens. A
 * message of more than 2,000 characters is cut in the middle. Callers branch on `code`.
 */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  /** Reason, as a word to branch on. */
  readonly code: ErrorCode;
  /** Data for a program, such as the client that answered first. */
  readonly data: ErrorData | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions & { data?: ErrorData } = {}) {
    super(shorten(message), options);
    this.code = code;
    this.data = options.data;
  }
}

// Cuts the middle of a message that repeats a very long value. The fault stands at the start, the fix at the end.
function shorten(message: string): string {
  if (message.length <= MAX_MESSAGE_LENGTH) return message;
  const half = MAX_MESSAGE_LENGTH / 2;
  return `${message.slice(0, half)}…${message.slice(1 - half)}`;
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
