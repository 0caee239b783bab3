// region: snippet
import { isProtocolError, isTransportError, SetupError, type TransportReason } from "@dt/client";

const ADVICE: Readonly<Record<TransportReason, string>> = {
  unreachable: "check the network",
  closed: "connect again",
  lagged: "read events faster",
  unreadable: "check that the address is that of an A2A agent",
  refused: "check the token",
};

/** Returns a sentence for an error of the client. */
export function explainFailure(error: unknown): string {
  // The message of a SetupError says what to do.
  if (error instanceof SetupError) return error.message;
  if (isTransportError(error)) return `${error.message}; ${ADVICE[error.reason]}`;
  if (isProtocolError(error)) return `the agent refused: ${error.message} (${error.code})`;
  return "something unexpected happened";
}
// endregion
