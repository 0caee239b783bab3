import type { AgentSettings } from "../gen/development_tool/settings.js";
import type { ToolCall } from "../gen/development_tool/tool_call.js";
import type { Presence, QueuedPrompt, SessionFacts, Usage } from "../gen/dt_session/event.js";
import { isWaiting, type Question } from "../tool-call/tool-call-status.js";
import type { AgentEvent } from "./agent-event.js";
import type { Artifact, Part } from "./part.js";
import type { TaskState } from "./task-state.js";

/** Events that change the facts of the session. REWOUND also removes items. */
export type FactEvent = Extract<
  AgentEvent,
  { kind: "TODOS" | "USAGE" | "MODE" | "TITLE" | "BACKGROUND_PROCESS" | "REWOUND" }
>;

/** Events that become items of a conversation. Other events change other fields of a view. */
export type ItemEvent = Exclude<
  AgentEvent,
  FactEvent | { kind: "STATE_CHANGE" | "QUEUE" | "AGENT_SETTINGS" | "ARTIFACT" }
>;

/** One item of a conversation. Consecutive text is one item. All updates of a tool call are one item. */
export interface ViewItem {
  /** Time of the item's first event, ISO 8601. */
  readonly at: string;
  /** The item itself. Pieces of text are joined; a tool call is its latest update. */
  readonly event: ItemEvent;
}

/** State of a task as a subscriber knows it, folded from its events. Plain data. */
export interface TaskView {
  readonly taskId: string;
  /** Session of the task. */
  readonly contextId: string;
  /** State of the task. `input-required` means an open question, or that the agent awaits a prompt. */
  readonly state: TaskState;
  /** Time of the last event, ISO 8601; empty before the first. */
  readonly at: string;
  /** The last items of the conversation, oldest first. */
  readonly items: readonly ViewItem[];
  /** True if the last item is text of a turn that has not ended. Later text is then appended to it. */
  readonly isTextOpen: boolean;
  /** Number of older items, which `items` no longer contains. */
  readonly earlierItems: number;
  /** Calls that have not ended. */
  readonly openCalls: readonly ToolCall[];
  /** Prompts that wait for their turn. */
  readonly queue: readonly QueuedPrompt[];
  /** Artifacts that the agent gave, oldest first; absent if there are none. */
  readonly artifacts?: readonly Artifact[];
  /** Parts that the agent sent with the state; absent if there are none. */
  readonly statusParts?: readonly Part[];
  /** Model in use, if the agent reports it. */
  readonly model?: string;
  /** Reason why the last turn failed, as a sentence; the next event removes it. */
  readonly error?: string;
  /** Tokens, as the agent reported them last. */
  readonly usage?: Usage;
  /** Settings of the session, if the agent reports them. */
  readonly settings?: AgentSettings;
  /** Title, todo list, usage, last change of mode and processes; absent before the first fact. */
  readonly facts?: SessionFacts;
  /** Permission mode and clients at the time when the view was requested; the next event removes them. */
  readonly presence?: Presence;
  /** Cursor of the last event in the view. */
  readonly cursor?: string;
}

/**
 * Version of the view's format. Increase it when the fields of a view, or the data that is stored with
 * a view, change. Views that were stored with another number are then folded again.
 */
export const TASK_VIEW_FORMAT = 3;

/** Creates the view of a task before its first event. */
export function emptyTaskView(taskId: string, contextId: string): TaskView {
  return {
    taskId,
    contextId,
    state: "submitted",
    at: "",
    items: [],
    isTextOpen: false,
    earlierItems: 0,
    openCalls: [],
    queue: [],
  };
}

/** Returns the calls that wait for an answer. */
export function openQuestions(view: TaskView): readonly Question[] {
  return view.openCalls.filter(isWaiting);
}

/** Returns true if a task was created without a prompt and still waits for its first one. */
export function isUnprompted({ state, items, earlierItems, openCalls, queue }: TaskView): boolean {
  const isWaitingForPrompt = state === "submitted" || state === "input-required";
  const isEmpty = items.length === 0 && earlierItems === 0;
  return isWaitingForPrompt && isEmpty && openCalls.length === 0 && queue.length === 0;
}
