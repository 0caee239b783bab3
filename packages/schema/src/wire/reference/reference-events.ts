import type { TaskState } from "../../event/task-state.js";
import type { ConfirmationOption } from "../../gen/development_tool/confirmation.js";
import type { ToolCallStatus } from "../../gen/development_tool/tool_call.js";

/** Names of the server reference's events. (server reference, "Task Events") */
export const CODER_AGENT_EVENTS = {
  STATE_CHANGE: "state_change",
  TOOL_CALL_UPDATE: "tool_call_update",
  TEXT_CONTENT: "text_content",
  THOUGHT: "thought",
  THOUGHT_SUMMARY: "thought_summary",
} as const;

/** State of a task in the server reference. */
export type ReferenceState = "running" | "completed" | "error";

/** Status of a tool call in the server reference. */
export type ReferenceStatus = "requested" | "executing" | "completed" | "error";

/** An event of the server reference. */
export type CoderAgentMessage =
  | {
      readonly type: typeof CODER_AGENT_EVENTS.STATE_CHANGE;
      readonly state: ReferenceState;
      readonly timestamp: string;
      /** Reason of the state `error`. The server reference has no such field; we added it. */
      readonly error?: string;
    }
  | {
      readonly type: typeof CODER_AGENT_EVENTS.TOOL_CALL_UPDATE;
      readonly toolCallId: string;
      readonly status: ReferenceStatus;
      readonly toolName: string;
      readonly result?: string;
      readonly error?: string;
      /** Output of a running call so far. The server reference has no such field; we added it. */
      readonly liveContent?: string;
      /** The question of a call that needs permission. The server reference has no such field; we added it. */
      readonly confirmation?: ReferenceConfirmation;
    }
  | { readonly type: typeof CODER_AGENT_EVENTS.TEXT_CONTENT; readonly text: string }
  | { readonly type: typeof CODER_AGENT_EVENTS.THOUGHT; readonly thought: string }
  | { readonly type: typeof CODER_AGENT_EVENTS.THOUGHT_SUMMARY; readonly summary: string };

/** A question about a tool call. */
export interface ReferenceConfirmation {
  readonly title: string;
  readonly prompt: string;
  readonly options: readonly ConfirmationOption[];
}

/** State in the server reference for each `TaskState`. A task that asks a question is still running. */
export const REFERENCE_STATES: Readonly<Record<TaskState, ReferenceState>> = {
  submitted: "running",
  working: "running",
  "input-required": "running",
  completed: "completed",
  failed: "error",
  canceled: "error",
  rejected: "error",
  "auth-required": "running",
};

/** Status in the server reference for each status of a tool call. */
export const REFERENCE_STATUSES: Readonly<Record<ToolCallStatus, ReferenceStatus>> = {
  STATUS_UNSPECIFIED: "requested",
  PENDING: "requested",
  EXECUTING: "executing",
  SUCCEEDED: "completed",
  FAILED: "error",
  CANCELLED: "error",
};
