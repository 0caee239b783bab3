import {
  isProtocolError,
  isTerminalState,
  optionIds,
  type Part,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
  type ToolCall,
  type ToolCallConfirmation,
} from "@dt/schema";
import type { PromptInput } from "../agent-client.js";
import type { AgentChannel, Update } from "./agent-channel.js";

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

/** One conversation with an agent: the task that it is in, and those that follow. */
export interface TaskHandle {
  /** The current task. A prompt after its end may start another of the same session. */
  readonly taskId: string;
  readonly contextId: string;
  /** What is known of the task: what it was when this handle was made, and all that was seen since. */
  view(): TaskView;
  /**
   * What happens from here on, until the task ends; goes on by itself after every break, without gap
   * or repetition, and with the next task when this handle prompted one. Leaving the loop stops
   * listening, nothing else.
   */
  events(options?: EventsOptions): AsyncIterable<SessionEvent>;
  /** Calls back with the view whenever it changes, until the task ends or `signal` aborts. */
  watch(listener: (view: TaskView) => void, options?: CallOptions): Promise<void>;
  /** Answers an open question. Losing the race is a result, not an error. */
  answer(
    toolCall: Pick<ToolCall, "toolCallId">,
    answer: Answer,
    options?: CallOptions,
  ): Promise<AnswerResult>;
  /** Sends the next prompt of the session; it waits for its turn. */
  prompt(prompt: PromptInput, options?: CallOptions): Promise<void>;
  /** Ends what the task is doing. */
  cancel(options?: CallOptions): Promise<void>;
}

/** Options of {@link TaskHandle.events}. */
export interface EventsOptions extends CallOptions {
  /** The cursor to go on from. Default: what the view holds already is not told again. */
  readonly after?: string;
}

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A handle on a task that is known so far as `start` tells. */
export function createTaskHandle(channel: AgentChannel, start: TaskView): TaskHandle {
  const { contextId } = start;
  // Where to listen from: the task, and the place of the last prompt that made or continued it.
  let place = { taskId: start.taskId, cursor: start.cursor, prompts: 0 };
  let view = start;

  let leader: object | undefined;

  function viewAfter(update: Update): TaskView {
    return update.type === "snapshot" ? update.view : reduceTaskView(view, update.event);
  }

  function goOnWith(next: TaskView): void {
    const isNewTask = next.taskId !== place.taskId;
    place = { taskId: next.taskId, cursor: next.cursor, prompts: place.prompts + 1 };
    // In the same task the events tell the rest; the state is known already.
    view = isNewTask ? next : { ...view, state: next.state };
  }

  const handle: TaskHandle = {
    get taskId() {
      return place.taskId;
    },
    contextId,
    view: () => view,
    async *events({ after, signal } = {}) {
      // One loop at a time moves the view; a second one, or one that reads again, only reads.
      const loop = {};
      if (after === undefined) leader ??= loop;
      let { taskId } = place;
      let cursor = after ?? view.cursor;
      let heard: number;
      try {
        do {
          heard = place.prompts;
          for await (const update of channel.follow(taskId, cursor, signal)) {
            const seen = update.type === "event" ? update.event.cursor : update.view.cursor;
            cursor = seen ?? cursor;
            if (leader === loop) view = viewAfter(update);
            if (update.type === "event") yield update.event;
          }
          // A prompt that was sent while the task ended: there is more to hear.
          if (place.taskId !== taskId) ({ taskId, cursor } = place);
        } while (place.prompts !== heard && signal?.aborted !== true);
      } finally {
        if (leader === loop) leader = undefined;
      }
    },
    async watch(listener, options) {
      listener(view);
      for await (const _ of handle.events(options)) listener(view);
    },
    async answer({ toolCallId }, answer, { signal } = {}) {
      const confirmations = [toConfirmation(toolCallId, answer)];
      const { taskId } = place;
      try {
        await channel.send({ type: "confirmation", confirmations }, { taskId, contextId }, signal);
        return { accepted: true };
      } catch (reason) {
        if (!isProtocolError(reason) || reason.code !== "confirmation-closed") throw reason;
        return { accepted: false, ...readWinner(reason.data) };
      }
    },
    async prompt(prompt, { signal } = {}) {
      const isOver = isTerminalState(view.state) && !channel.continuesEndedTasks;
      const target = isOver ? { contextId } : { taskId: place.taskId, contextId };
      goOnWith(await channel.send({ type: "prompt", parts: toParts(prompt) }, target, signal));
    },
    cancel: ({ signal } = {}) => channel.cancel(place.taskId, signal),
  };
  return handle;
}

/** A prompt as the parts of a message. */
export function toParts(prompt: PromptInput): readonly Part[] {
  return typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
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
