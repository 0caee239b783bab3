import type { ErrorCode } from "./error-codes.js";

/** Facts for whoever must act on an error, beside its sentence. Plain JSON. */
export type ErrorData = Readonly<Record<string, unknown>>;

/**
 * A request that cannot be granted, for the peer that made it.
 *
 * The message is one sentence that names the fault; it never holds file content, environment values
 * or tokens. What callers branch on is `code`.
 */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  /** Why, in a word to branch on. */
  readonly code: ErrorCode;
  /** More about it, where there is more: who won a race, for one. */
  readonly data: ErrorData | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions & { data?: ErrorData } = {}) {
    super(message, options);
    this.code = code;
    this.data = options.data;
  }
}

/** Recognises a {@link ProtocolError}, of another copy of this package too. */
export function isProtocolError(value: unknown): value is ProtocolError {
  return value instanceof Error && value.name === "ProtocolError" && "code" in value;
}
