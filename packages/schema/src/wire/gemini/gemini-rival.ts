import { optionIds } from "../../tool-call/confirmation-options.js";
import { isObject } from "../../validation/message-json.js";
import type { A2aMessage } from "../a2a/a2a.js";

/** An answer of another client that the peer took before ours. */
export interface GeminiRival {
  readonly toolCallId: string;
  /** What the other one chose, as an option of ours. */
  readonly selectedOptionId: string;
  /** The message that brought it. */
  readonly messageId: string;
}

/** Whom to look for in a history. */
export interface GeminiRivalSearch {
  /** The calls that are answered. */
  readonly toolCallIds: readonly string[];
  /** Our own message: what comes after it is late. It may not be there. */
  readonly messageId: string;
  /** Messages that are none of a rival: earlier ones of ours, and those that were known before. */
  readonly known: ReadonlySet<string>;
}

/**
 * Who answered before us, as the peer's history tells: it keeps every message in the order in which it
 * came, answers included. Pure.
 */
export function findGeminiRival(
  history: readonly A2aMessage[],
  { toolCallIds, messageId: own, known }: GeminiRivalSearch,
): GeminiRival | undefined {
  for (const { role, messageId, parts } of history) {
    if (messageId === own) return undefined;
    if (role !== "user" || known.has(messageId)) continue;
    for (const part of parts) {
      const { callId, outcome } = part.type === "data" && isObject(part.data) ? part.data : {};
      if (typeof callId !== "string" || !toolCallIds.includes(callId)) continue;
      // Opening an editor leaves the question open.
      if (typeof outcome !== "string" || outcome === "modify_with_editor") continue;
      return { toolCallId: callId, selectedOptionId: decodeOutcome(outcome), messageId };
    }
  }
  return undefined;
}

/**
 * Who refused a call before us: after a refusal some versions of the peer keep no message but the one that
 * tells of it. Where our own message was sent, only what comes before it counts. Pure.
 */
export function findGeminiRefusal(
  history: readonly A2aMessage[],
  { toolCallIds, messageId: own, isSent }: GeminiRivalSearch & { readonly isSent: boolean },
): GeminiRival | undefined {
  const end = history.findIndex(({ messageId }) => messageId === own);
  if (isSent && end < 0) return undefined;
  for (const [index, { role, parts }] of history.slice(0, end < 0 ? undefined : end).entries()) {
    const toolCallId = role === "agent" ? findCancelled(parts, toolCallIds) : undefined;
    if (toolCallId === undefined) continue;
    // What it led to begins with that very message.
    const messageId = history[index - 1]?.messageId ?? "";
    return { toolCallId, selectedOptionId: optionIds.cancel, messageId };
  }
  return undefined;
}

function findCancelled(parts: A2aMessage["parts"], toolCallIds: readonly string[]) {
  for (const part of parts) {
    const data = part.type === "data" && isObject(part.data) ? part.data : {};
    const callId = isObject(data.request) ? String(data.request.callId) : "";
    if (data.status === "cancelled" && toolCallIds.includes(callId)) return callId;
  }
  return undefined;
}

/** Whether a history reaches back to where the peer asked about one of these calls. */
export function reachesGeminiQuestion(
  history: readonly A2aMessage[],
  toolCallIds: readonly string[],
): boolean {
  return history.some(({ parts }) =>
    parts.some(({ type, ...part }) => {
      const data = type === "data" && "data" in part && isObject(part.data) ? part.data : {};
      const request = isObject(data.request) ? data.request : {};
      return data.status === "awaiting_approval" && toolCallIds.includes(String(request.callId));
    }),
  );
}

// For an MCP tool "always" is one of two kinds; the other one keeps its name.
function decodeOutcome(outcome: string): string {
  return outcome === "proceed_always_tool" ? optionIds.proceedAlways : outcome;
}
