import { type AgentEvent, type EventKind, isTerminalStatus, isWaiting } from "@dt/schema";

/** The kinds that hold what a receiver is called for. */
export const notableKinds: readonly EventKind[] = ["STATE_CHANGE", "TOOL_CALL_UPDATE"];

/**
 * Whether a receiver is called for an event unless it asked for all: a change of state, a question, a
 * call that has ended. Text, thoughts and calls that begin come in bursts; the task holds them.
 */
export function isNotable(event: AgentEvent): boolean {
  if (event.kind === "STATE_CHANGE") return true;
  if (event.kind !== "TOOL_CALL_UPDATE") return false;
  return isTerminalStatus(event.toolCall.status) || isWaiting(event.toolCall);
}
