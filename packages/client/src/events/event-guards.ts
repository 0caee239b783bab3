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

/** Whether an event is a tool call that asks. A call asks once; its later updates do not. */
export function isQuestion(
  event: SessionEvent,
): event is SessionEvent & ToolCallUpdate & { readonly toolCall: Question } {
  return event.kind === "TOOL_CALL_UPDATE" && isWaiting(event.toolCall);
}

/** Whether an event is a piece of what the agent says. */
export function isText(event: SessionEvent): event is SessionEvent & TextContent {
  return event.kind === "TEXT_CONTENT";
}

/** Whether an event is a thought of the agent. */
export function isThought(event: SessionEvent): event is SessionEvent & Thought {
  return event.kind === "THOUGHT";
}

/** Whether an event is a tool call, in whatever state. */
export function isToolCall(event: SessionEvent): event is SessionEvent & ToolCallUpdate {
  return event.kind === "TOOL_CALL_UPDATE";
}

/** Whether an event is a prompt, of this client or of another. */
export function isPrompt(event: SessionEvent): event is SessionEvent & UserPrompt {
  return event.kind === "USER_PROMPT";
}

/** Whether an event is of a kind that this version does not know; its parts are as they came. */
export function isUnknown(event: SessionEvent): event is SessionEvent & UnknownEvent {
  return event.kind === "UNKNOWN";
}
