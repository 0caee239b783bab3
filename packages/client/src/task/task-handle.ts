import {
  isProtocolError,
  optionIds,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
  type ToolCall,
  type ToolCallConfirmation,
} from "@dt/schema";
import type { AgentChannel } from "./agent-channel.js";

/** How an answer was received. */
export type AnswerResult =
  | { readonly accepted: true }
  | {
      readonly accepted: false;
      /** Who answered first. */
      readonly answeredBy: { readonly principal: string; readonly name: string };
      /** With what. */
      readonly selectedOptionId: string;
    };

/** An option's id, or the content that the user wants instead of what was proposed. */
export type Answer = string | { readonly newContent: string };

/** One task of an agent. */
export interface TaskHandle {
  readonly taskId: string;
  readonly contextId: string;
  /** What is known of the task: what it was when this handle was made, and all that was seen since. */
  view(): TaskView;
  /**
   * What happens from here on, until the task ends; goes on by itself after every break, without gap
   * or repetition. Leaving the loop stops listening, nothing else.
   */
  events(options?: EventsOptions): AsyncIterable<SessionEvent>;
  /** Answers an open question. Losing the race is a result, not an error. */
  answer(
    toolCall: Pick<ToolCall, "toolCallId">,
    answer: Answer,
    options?: CallOptions,
  ): Promise<AnswerResult>;
  /** Sends the next prompt of the session. */
  prompt(text: string, options?: CallOptions): Promise<void>;
  /** Ends what the task is doing. */
  cancel(options?: CallOptions): Promise<void>;
}

/** Options of {@link TaskHandle.events}. */
export interface EventsOptions extends CallOptions {
  /** The cursor to go on from. Default: where this handle is. */
  readonly after?: string;
}

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A handle on a task that is known so far as `start` tells. */
export function createTaskHandle(channel: AgentChannel, start: TaskView): TaskHandle {
  const { taskId, contextId } = start;
  let view = start;

  return {
    taskId,
    contextId,
    view: () => view,
    async *events({ after = start.cursor, signal } = {}) {
      let folded = start;
      for await (const update of channel.follow(taskId, after, signal)) {
        folded = update.type === "snapshot" ? update.view : reduceTaskView(folded, update.event);
        view = folded;
        if (update.type === "event") yield update.event;
      }
    },
    async answer({ toolCallId }, answer, { signal } = {}) {
      const confirmation = toConfirmation(toolCallId, answer);
      try {
        await channel.send(
          { type: "confirmation", confirmations: [confirmation] },
          { taskId, contextId },
          signal,
        );
        return { accepted: true };
      } catch (reason) {
        if (!isProtocolError(reason) || reason.code !== "confirmation-closed") throw reason;
        return { accepted: false, ...readWinner(reason.data) };
      }
    },
    async prompt(text, { signal } = {}) {
      const content = { type: "prompt" as const, parts: [{ type: "text" as const, text }] };
      await channel.send(content, { taskId, contextId }, signal);
    },
    cancel: ({ signal } = {}) => channel.cancel(taskId, signal),
  };
}

function toConfirmation(toolCallId: string, answer: Answer): ToolCallConfirmation {
  if (typeof answer === "string") {
    return { toolCallId, selectedOptionId: answer, modifiedDetails: undefined };
  }
  return {
    toolCallId,
    selectedOptionId: optionIds.proceedOnce,
    modifiedDetails: { $case: "fileDetails", value: { newContent: answer.newContent } },
  };
}

function readWinner(data: Readonly<Record<string, unknown>> | undefined) {
  const answeredBy = (data?.answeredBy ?? {}) as { principal?: unknown; name?: unknown };
  return {
    answeredBy: {
      principal: String(answeredBy.principal ?? ""),
      name: String(answeredBy.name ?? ""),
    },
    selectedOptionId: String(data?.selectedOptionId ?? ""),
  };
}
