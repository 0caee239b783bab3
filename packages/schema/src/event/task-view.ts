import type { AgentSettings } from "../gen/development_tool/settings.js";
import type { ToolCall } from "../gen/development_tool/tool_call.js";
import type { Presence, QueuedPrompt, Usage } from "../gen/dt_session/event.js";
import { isWaiting, type Question } from "../tool-call/tool-call-status.js";
import type { AgentEvent } from "./agent-event.js";
import type { TaskState } from "./task-state.js";

/** The kinds that stand in a conversation; the others only change what surrounds it. */
export type ItemEvent = Exclude<AgentEvent, { kind: "STATE_CHANGE" | "QUEUE" | "AGENT_SETTINGS" }>;

/** One item of a conversation: text that belongs together is one item, so is a tool call. */
export interface ViewItem {
  /** When it began, ISO 8601. */
  readonly at: string;
  /** What it is: told apart by `kind`. Text that came in pieces is joined; a tool call is its latest. */
  readonly event: ItemEvent;
}

/** What an observer knows of a task, folded from its events. Plain data. */
export interface TaskView {
  readonly taskId: string;
  /** The session that the task belongs to. */
  readonly contextId: string;
  /** What the task is doing; `input-required` where a question is open or the next prompt is awaited. */
  readonly state: TaskState;
  /** When the last event happened, ISO 8601; empty before the first. */
  readonly at: string;
  /** The last items of the conversation, oldest first. */
  readonly items: readonly ViewItem[];
  /** Whether text that comes next is more of the last item: its turn has not ended since. */
  readonly isTextOpen: boolean;
  /** How many items came before those. */
  readonly earlierItems: number;
  /** Calls that have not ended. */
  readonly openCalls: readonly ToolCall[];
  /** Prompts that wait for their turn. */
  readonly queue: readonly QueuedPrompt[];
  /** The model in use, where the agent tells. */
  readonly model?: string;
  /** Why the last turn failed, in a sentence; gone with the next event. */
  readonly error?: string;
  /** The tokens that the agent last told of. */
  readonly usage?: Usage;
  /** The settings of the session, where the agent tells. */
  readonly settings?: AgentSettings;
  /** What surrounded the session when the task was asked for; gone with the next event. */
  readonly presence?: Presence;
  /** The last event that is folded in. */
  readonly cursor?: string;
}

/** Grows when what a view holds changes: views that were kept before then are folded anew. */
export const TASK_VIEW_FORMAT = 1;

/** The view of a task of which nothing is known but its ids. */
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

/** The calls that wait for an answer. */
export function openQuestions(view: TaskView): readonly Question[] {
  return view.openCalls.filter(isWaiting);
}
