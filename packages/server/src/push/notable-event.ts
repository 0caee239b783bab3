import { type AgentEvent, type EventKind, isTerminalStatus, isWaiting } from "@dt/schema";

/** The kinds of events that may be notable. */
export const notableKinds: readonly EventKind[] = ["STATE_CHANGE", "TOOL_CALL_UPDATE"];

/**
 * Returns true if a receiver is called for an event even if it did not ask for all: a change of state, a
 * question, a finished tool call. Text, thoughts and calls that begin come in bursts, and the task holds them.
 */
export function isNotable(event: AgentEvent): boolean {
  if (event.kind === "STATE_CHANGE") return true;
  if (event.kind !== "TOOL_CALL_UPDATE") return false;
  return isTerminalStatus(event.toolCall.status) || isWaiting(event.toolCall);
}
