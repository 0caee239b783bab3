import {
  type AccessEvent,
  type BackgroundProcessEvent,
  isWaiting,
  type ModeEvent,
  type Question,
  type RewoundEvent,
  type SessionEvent,
  type TextContent,
  type Thought,
  type TitleEvent,
  type TodosEvent,
  type ToolCallUpdate,
  type UnknownEvent,
  type UsageEvent,
  type UserPrompt,
  type WarningEvent,
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

/** Returns true for a prompt of this client or of another client. */
export function isPrompt(event: SessionEvent): event is SessionEvent & UserPrompt {
  return event.kind === "USER_PROMPT";
}

/** Returns true for the agent's todo list, which replaces the previous list. */
export function isTodos(event: SessionEvent): event is SessionEvent & TodosEvent {
  return event.kind === "TODOS";
}

/** Returns true for a report of tokens and money. */
export function isUsage(event: SessionEvent): event is SessionEvent & UsageEvent {
  return event.kind === "USAGE";
}

/** Returns true for the permission mode that a client has set for its prompts. */
export function isMode(event: SessionEvent): event is SessionEvent & ModeEvent {
  return event.kind === "MODE";
}

/** Returns true for the title of the session. */
export function isTitle(event: SessionEvent): event is SessionEvent & TitleEvent {
  return event.kind === "TITLE";
}

/** Returns true for a change of who may use the session. */
export function isAccess(event: SessionEvent): event is SessionEvent & AccessEvent {
  return event.kind === "ACCESS";
}

/** Returns true for a problem that the person should know about. */
export function isWarning(event: SessionEvent): event is SessionEvent & WarningEvent {
  return event.kind === "WARNING";
}

/** Returns true for the state of a process that goes on after its tool call. */
export function isBackgroundProcess(
  event: SessionEvent,
): event is SessionEvent & BackgroundProcessEvent {
  return event.kind === "BACKGROUND_PROCESS";
}

/** Returns true for an event that takes the conversation back to the time before a prompt. */
export function isRewound(event: SessionEvent): event is SessionEvent & RewoundEvent {
  return event.kind === "REWOUND";
}

/** Returns true for an event of an unknown kind. Such an event has the parts that were received. */
export function isUnknown(event: SessionEvent): event is SessionEvent & UnknownEvent {
  return event.kind === "UNKNOWN";
}
