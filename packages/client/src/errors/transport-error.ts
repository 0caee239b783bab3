import { errorCodes, isProtocolError } from "@dt/schema";

/**
 * Why a peer could not be reached or understood.
 *
 * - `unreachable`: nobody answered.
 * - `closed`: the connection broke, fell silent, or was closed by this client.
 * - `lagged`: this program read more slowly than events came, and goes on from the last one that it read.
 * - `unreadable`: what came was not what A2A says.
 * - `refused`: the agent, or something before it, said no; `status` says which no.
 */
export type TransportReason = "unreachable" | "closed" | "lagged" | "unreadable" | "refused";

/** Something between this program and the agent failed. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  /** What failed, in a word to branch on. */
  readonly reason: TransportReason;
  /** The HTTP status, where there was one. */
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

/** Recognises a {@link TransportError}, of another copy of this package too. */
export function isTransportError(value: unknown): value is TransportError {
  return value instanceof Error && value.name === "TransportError" && "reason" in value;
}

/** Whether the same request may succeed later: a break heals, a refusal does not. */
export function mayHeal(reason: unknown): boolean {
  if (isProtocolError(reason)) return errorCodes[reason.code]?.retryable === true;
  if (!isTransportError(reason)) return false;
  if (reason.reason !== "unreadable" && reason.reason !== "refused") return true;
  const { status = 0 } = reason;
  return status >= 500 || status === 429 || status === 408;
}
