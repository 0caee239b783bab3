import type { TaskState } from "../../event/task-state.js";
import type {
  ConfirmationRequest,
  ToolCallConfirmation,
} from "../../gen/development_tool/confirmation.js";
import type { ToolCall } from "../../gen/development_tool/tool_call.js";
import type { Origin } from "../../gen/dt_session/event.js";
import type { GeminiAnswer } from "./gemini-message-codec.js";

/** State that our client keeps for a task of gemini-cli's server, to convert the next input to events. */
export interface GeminiMemory {
  readonly taskId: string;
  readonly contextId: string;
  /** State that subscribers know. */
  readonly state: TaskState;
  /** Time of the last event, ISO 8601; "" before the first event. */
  readonly at: string;
  /** Calls of the last turn by id, in the order of their arrival. */
  readonly calls: ReadonlyMap<string, GeminiCall>;
  /** An error that may end the turn, or be followed by a retry. */
  readonly error?: string;
  /** True if the peer has ended the task for good and accepts no more messages. */
  readonly isClosed: boolean;
}

/** One call of the last turn. */
export interface GeminiCall {
  /** The call as subscribers know it. */
  readonly toolCall: ToolCall;
  /** True if the call was announced. A call that may still ask is announced later. */
  readonly isAnnounced: boolean;
  /** Open question of the peer. It is announced when the peer waits. */
  readonly question?: ConfirmationRequest;
  /** Answer of this client or of a rival. */
  readonly answer?: {
    readonly confirmation: ToolCallConfirmation;
    readonly origin: Origin;
    /** True if the answer was announced, with the first update that it caused. */
    readonly isAnnounced: boolean;
    /**
     * True if the peer did not accept the answer: the peer asked again, sent a reason, or could not
     * be reached.
     */
    readonly isRefused?: boolean;
  };
}

/** Creates the memory of a task before its first event. */
export function emptyGeminiMemory(taskId: string, contextId: string): GeminiMemory {
  return { taskId, contextId, state: "submitted", at: "", calls: new Map(), isClosed: false };
}

/**
 * Returns all answers if every question has an answer, and undefined before that. The answers are
 * sent together, because the peer may hang if the questions of a step are answered one by one.
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
