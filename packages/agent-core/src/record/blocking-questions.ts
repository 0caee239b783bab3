import type { ToolCall } from "@dt/schema";
import { isAsking, isOpen, type OpenCall } from "./open-call.js";

/**
 * Returns the calls that wait for an answer, if the turn cannot continue without one. That is so if
 * every open call either waits itself or is queued behind a waiting call. Otherwise returns
 * nothing.
 */
export function blockingQuestions(turn: {
  readonly calls: readonly OpenCall[];
}): readonly ToolCall[] {
  const open = turn.calls.filter(isOpen);
  let isBlocked = false;
  for (const call of open) {
    const isStanding =
      isAsking(call) || isWaitingForChild(call, open) || (isBlocked && isQueued(call));
    if (!isStanding) return [];
    isBlocked ||= !call.isReadOnly;
  }
  return open.filter(isAsking).map(({ toolCall }) => toolCall);
}

/** True if a running call waits only for questions inside it. */
function isWaitingForChild({ toolCall }: OpenCall, open: readonly OpenCall[]): boolean {
  const children = open.filter(({ parentCallId }) => parentCallId === toolCall.toolCallId);
  if (toolCall.status !== "EXECUTING" || children.length === 0) return false;
  return children.every((child) => isAsking(child) || isWaitingForChild(child, open));
}

// A call that was announced without a question is allowed; it runs after the calls before it.
function isQueued({ toolCall, isAnnounced, isReadOnly }: OpenCall): boolean {
  return !isReadOnly && toolCall.status === "PENDING" && isAnnounced;
}
