import { OPTION_IDS } from "../../tool-call/confirmation-options.js";
import { isObject } from "../../validation/message-json.js";
import type { A2aMessage } from "../a2a/a2a.js";

/** An answer of another client that the peer accepted before ours. */
export interface GeminiRival {
  readonly toolCallId: string;
  /** Option that the other client chose. */
  readonly selectedOptionId: string;
  /** Id of the message before the answer's results; "" if the results are at the start of the history. */
  readonly messageId: string;
}

/** Parameters of a search for a rival in the peer's history. */
export interface GeminiRivalSearch {
  /** Ids of the calls that our message answers. */
  readonly toolCallIds: readonly string[];
  /** Id of our own message. The search ends at this message, or at the end of a history without it. */
  readonly messageId: string;
  /** Ids of messages that no rival sent: our own messages, and messages from before the open questions. */
  readonly known: ReadonlySet<string>;
}

/**
 * Finds another client's answer that comes before ours in the peer's history. The history has all
 * messages in order, including answers.
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
 * Finds a refusal by another client. After a refusal, some versions of the peer remove the answer
 * from the history and only keep the cancelled call. If our message was sent (`isSent`), the function only
 * looks at the messages before our message, and finds nothing in a history without our message.
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
    // The results of the refusal begin after this message.
    const messageId = history[index - 1]?.messageId ?? "";
    return { toolCallId, selectedOptionId: OPTION_IDS.cancel, messageId };
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

/** Returns true if a history reaches back to the question about one of these calls. */
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

// Converts an outcome to our option. Our option "always" is the peer's "always" for an MCP tool.
// Other outcomes keep their names.
function decodeOutcome(outcome: string): string {
  return outcome === "proceed_always_tool" ? OPTION_IDS.proceedAlways : outcome;
}
