import { ERROR_CODES, isProtocolError } from "@dt/schema";

/**
 * Reasons of a {@link TransportError}.
 *
 * - `unreachable`: the agent did not answer.
 * - `closed`: the connection broke, was silent for too long, or was closed by this client.
 * - `lagged`: this program read too slowly; the stream continues from the last event that it read.
 * - `unreadable`: the response does not follow A2A.
 * - `refused`: the agent or a proxy refused the request; `status` has the HTTP status.
 */
export type TransportReason = "unreachable" | "closed" | "lagged" | "unreadable" | "refused";

/** The connection between this program and the agent failed. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  /** Reason, as a word to branch on. */
  readonly reason: TransportReason;
  /** HTTP status, if there was a response. */
  readonly status: number | undefined;

  constructor(
    reason: TransportReason,
    message: string,
    options: ErrorOptions & { status?: number } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.status = options.status;
  }
}

/** Returns true for a {@link TransportError}, including one of another copy of this package. */
export function isTransportError(value: unknown): value is TransportError {
  return value instanceof Error && value.name === "TransportError" && "reason" in value;
}

/** Returns true if a retry of the request may succeed, for example after a broken connection. */
export function isRetryable(reason: unknown): boolean {
  if (isProtocolError(reason)) return ERROR_CODES[reason.code].retryable;
  if (!isTransportError(reason)) return false;
  if (reason.reason !== "unreadable" && reason.reason !== "refused") return true;
  const { status = 0 } = reason;
  return status >= 500 || status === 429 || status === 408;
}
