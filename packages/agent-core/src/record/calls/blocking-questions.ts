import type { ToolCall } from "@dt/schema";
import { isAsking, isOpen, type OpenCall } from "./open-call.js";

/**
 * Returns the calls with an open question if these questions block the turn, else an empty list. They block
 * the turn if every open call asks, waits for a question inside it, or is queued behind such a call. No call
 * is queued behind a call that only reads.
 */
export function blockingQuestions(turn: {
  readonly calls: readonly OpenCall[];
}): readonly ToolCall[] {
  const open = turn.calls.filter(isOpen);
  let isBlocked = false;
  for (const call of open) {
    const isStuck =
      isAsking(call) || isWaitingForChild(call, open) || (isBlocked && isQueued(call));
    // An external agent does not tell which of its calls wait for an answer, so all of them may wait.
    if (!isStuck && call.isExternal !== true) return [];
    isBlocked ||= !call.isReadOnly;
  }
  return open.filter(isAsking).map(({ toolCall }) => toolCall);
}

/** Returns true if a running call waits only for questions inside it. */
function isWaitingForChild({ toolCall }: OpenCall, open: readonly OpenCall[]): boolean {
  const children = open.filter(({ parentCallId }) => parentCallId === toolCall.toolCallId);
  if (toolCall.status !== "EXECUTING" || children.length === 0) return false;
  return children.every((child) => isAsking(child) || isWaitingForChild(child, open));
}

// Returns true if a call is allowed and waits for the calls before it. A call that was announced without a
// question is allowed. A call that only reads does not wait.
function isQueued({ toolCall, isAnnounced, isReadOnly }: OpenCall): boolean {
  return !isReadOnly && toolCall.status === "PENDING" && isAnnounced;
}
