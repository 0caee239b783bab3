import {
  isWaiting,
  type Question,
  type SessionEvent,
  type TextContent,
  type Thought,
  type ToolCallUpdate,
  type UnknownEvent,
  type UserPrompt,
} from "@dt/schema";

/**
 * Returns true for a tool call that waits for an answer; false for its updates after the answer.
 */
export function isQuestion(
  event: SessionEvent,
): event is SessionEvent & ToolCallUpdate & { readonly toolCall: Question } {
  return event.kind === "TOOL_CALL_UPDATE" && isWaiting(event.toolCall);
}

/** Returns true for a piece of the agent's text. */
export function isText(event: SessionEvent): event is SessionEvent & TextContent {
  return event.kind === "TEXT_CONTENT";
}

/** Returns true for a thought of the agent. */
export function isThought(event: SessionEvent): event is SessionEvent & Thought {
  return event.kind === "THOUGHT";
}

/** Returns true for a tool call in any state. */
export function isToolCall(event: SessionEvent): event is SessionEvent & ToolCallUpdate {
  return event.kind === "TOOL_CALL_UPDATE";
}

/** Returns true for a prompt of this client or another one. */
export function isPrompt(event: SessionEvent): event is SessionEvent & UserPrompt {
  return event.kind === "USER_PROMPT";
}

/** Returns true for an event of an unknown kind; it has the parts that were received. */
export function isUnknown(event: SessionEvent): event is SessionEvent & UnknownEvent {
  return event.kind === "UNKNOWN";
}
