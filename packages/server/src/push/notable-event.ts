import { type AgentEvent, type EventKind, isTerminalStatus, isWaiting } from "@dt/schema";

/** Kinds of events for which {@link isNotable} can return true. */
export const NOTABLE_KINDS: readonly EventKind[] = ["STATE_CHANGE", "TOOL_CALL_UPDATE", "ARTIFACT"];

/**
 * Returns true if every receiver of the task is called for an event: a change of state, a question, a
 * finished tool call or a complete artifact. Text, thoughts and started calls come in bursts. Only receivers
 * of configs with `allEvents` are called for them; the others can load them with the task.
 */
export function isNotable(event: AgentEvent): boolean {
  if (event.kind === "STATE_CHANGE") return true;
  if (event.kind === "ARTIFACT") return event.lastChunk ?? event.append !== true;
  if (event.kind !== "TOOL_CALL_UPDATE") return false;
  return isTerminalStatus(event.toolCall.status) || isWaiting(event.toolCall);
}
