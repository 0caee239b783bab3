import { type AgentEvent, type EventKind, isTerminalStatus, isWaiting } from "@dt/schema";

/** Kinds of events for which {@link isNotable} can return true. */
export const NOTABLE_KINDS: readonly EventKind[] = ["STATE_CHANGE", "TOOL_CALL_UPDATE", "ARTIFACT"];

/**
 * Returns true for an event that every receiver of the task gets: a change of state, a question, a finished tool call
 * or a complete artifact. Text, thoughts and started calls come in bursts, so only the receivers of configs with
 * `allEvents` get them. Other receivers can load the task.
 */
export function isNotable(event: AgentEvent): boolean {
  if (event.kind === "STATE_CHANGE") return true;
  if (event.kind === "ARTIFACT") return event.lastChunk ?? event.append !== true;
  if (event.kind !== "TOOL_CALL_UPDATE") return false;
  return isTerminalStatus(event.toolCall.status) || isWaiting(event.toolCall);
}
