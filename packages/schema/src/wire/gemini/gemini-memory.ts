import type { TaskState } from "../../event/task-state.js";
import type {
  ConfirmationRequest,
  ToolCallConfirmation,
} from "../../gen/development_tool/confirmation.js";
import type { ToolCall } from "../../gen/development_tool/tool_call.js";
import type { Origin } from "../../gen/dt_session/event.js";
import type { GeminiAnswer } from "./gemini-message-codec.js";

/** What has to be remembered of a task of gemini-cli's server to tell its events rightly. Plain data. */
export interface GeminiMemory {
  readonly taskId: string;
  readonly contextId: string;
  /** The state that observers know. */
  readonly state: TaskState;
  /** When something happened last, ISO 8601; "" before anything did. */
  readonly at: string;
  /** The calls of the last turn, by id, in the order in which they came. */
  readonly calls: ReadonlyMap<string, GeminiCall>;
  /** An error that may end the turn, or be followed by another try. */
  readonly error?: string;
  /** Whether the peer has ended the task for good: it takes no more messages. */
  readonly isClosed: boolean;
}

/** One call of the last turn. */
export interface GeminiCall {
  /** As observers know it. */
  readonly toolCall: ToolCall;
  /** Whether observers know of it at all: a call that may still ask is not told at once. */
  readonly isTold: boolean;
  /** What the peer asks, while it asks; observers are told when the peer rests. */
  readonly question?: ConfirmationRequest;
  /** The answer that was given. */
  readonly answer?: {
    readonly confirmation: ToolCallConfirmation;
    readonly origin: Origin;
    /** Whether observers know of it: the first update that it brings about says so. */
    readonly isTold: boolean;
    /** Whether the peer did not take it: it asks again, says why not, or was never reached. */
    readonly isRefused?: boolean;
  };
}

/** The memory of a task of which nothing is known but its ids. */
export function emptyGeminiMemory(taskId: string, contextId: string): GeminiMemory {
  return { taskId, contextId, state: "submitted", at: "", calls: new Map(), isClosed: false };
}

/**
 * The answers that are ready to go: all of them, once no question is left without one. Several
 * questions of one step that are answered one by one may hang the peer.
 */
export function findReadyAnswers(memory: GeminiMemory): readonly GeminiAnswer[] | undefined {
  const answers: GeminiAnswer[] = [];
  for (const { question, answer } of memory.calls.values()) {
    if (question === undefined) continue;
    if (answer === undefined) return undefined;
    answers.push({ confirmation: answer.confirmation, question });
  }
  return answers.length === 0 ? undefined : answers;
}
