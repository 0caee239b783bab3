import { isTerminalStatus, isWaiting, type ToolCall } from "@dt/schema";
import type { RunningTurn } from "./session-state.js";

/**
 * The calls that wait for someone where nothing of the turn can go on without them: every open call
 * waits for an answer, or stands behind one that does. Empty where the turn works.
 */
export function standingQuestions(turn: RunningTurn): readonly ToolCall[] {
  const open = turn.calls.filter((call) => !isTerminalStatus(call.status));
  let isBlocked = false;
  for (const call of open) {
    const isReadOnly = turn.readOnly.includes(call.toolCallId);
    const isStanding = isWaiting(call) || (isBlocked && !isReadOnly && isQueued(call, turn));
    if (!isStanding) return [];
    isBlocked ||= !isReadOnly;
  }
  return open.filter(isWaiting);
}

// Allowed, or approved, and shown: it runs when those before it are done.
function isQueued({ toolCallId, status }: ToolCall, { announced }: RunningTurn): boolean {
  return status === "PENDING" && announced.includes(toolCallId);
}
