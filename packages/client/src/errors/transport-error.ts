import { errorCodes, isProtocolError } from "@dt/schema";

/** Why a peer could not be reached or understood. */
export type TransportReason = "unreachable" | "closed" | "unreadable" | "refused";

/** Something between this program and the agent failed; whether trying again may help is said. */
export class TransportError extends Error {
  override readonly name = "TransportError";
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

/** Whether the same request may succeed later: a break heals, a refusal does not. */
export function mayHeal(reason: unknown): boolean {
  if (isProtocolError(reason)) return errorCodes[reason.code]?.retryable === true;
  if (!(reason instanceof TransportError)) return false;
  if (reason.reason === "unreachable" || reason.reason === "closed") return true;
  return reason.status !== undefined && (reason.status >= 500 || reason.status === 429);
}
