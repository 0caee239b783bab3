import type { MessageName } from "../validation/message-json.js";
import type { AgentEvent } from "./agent-event.js";

/** Events whose content is one protobuf message of an extension. */
export type PayloadEvent = Exclude<
  AgentEvent,
  { kind: "USER_PROMPT" | "TEXT_CONTENT" | "STATE_CHANGE" | "ARTIFACT" | "UNKNOWN" }
>;

/**
 * Maps the kind of an event to the name of its protobuf message and to the event's field that
 * contains the message. If there is no such field, the event itself has the fields of the message.
 * This is a table because browsers load it, and code for each kind would be larger.
 */
export const EVENT_PAYLOADS: Readonly<
  Record<PayloadEvent["kind"], readonly [name: MessageName, field?: string]>
> = {
  TOOL_CALL_UPDATE: ["ToolCall", "toolCall"],
  THOUGHT: ["AgentThought", "thought"],
  CITATION: ["Citation", "citation"],
  CONSOLE_LOG: ["ConsoleLog", "log"],
  THOUGHT_SUMMARY: ["ThoughtSummary", "thoughtSummary"],
  AGENT_SETTINGS: ["AgentSettings", "settings"],
  QUEUE: ["PromptQueue"],
  TODOS: ["TodoList"],
  USAGE: ["UsageReport", "report"],
  MODE: ["ModeChange", "mode"],
  TITLE: ["SessionTitle"],
  WARNING: ["Warning", "warning"],
  BACKGROUND_PROCESS: ["BackgroundProcess", "backgroundProcess"],
  REWOUND: ["Rewound", "rewound"],
  ACCESS: ["AccessChange", "access"],
};
