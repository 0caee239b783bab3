import type { Presence, SessionEvent, TaskView, ToolCall } from "@dt/schema";
import type { PushConfigs } from "../push/push-configs.js";
import type { Answer, AnswerResult, AnswersResult, AnswerTo } from "./answer.js";
import type { CallOptions } from "./call-options.js";
import type { PromptInput } from "./prompt-parts.js";

/** Options of {@link TaskHandle.events}. */
export interface EventsOptions extends CallOptions {
  /**
   * Cursor of the event after which to start, from any task of this conversation, or `"0"` for the
   * beginning. Default: the cursor of the view, so that the items in the view are not repeated.
   */
  readonly after?: string;
}

/** Options of {@link TaskHandle.prompt}. */
export interface PromptOptions extends CallOptions {
  /**
   * True if the prompt should join the running turn of this client at the turn's next step. If no such
   * turn runs, or the agent lacks our session extension, the prompt waits for its own turn.
   */
  readonly steer?: boolean;
}

/** Options of {@link TaskHandle.subscribe}. */
export interface SubscribeOptions {
  /** Called when following ends with an error that a retry cannot fix. Default: no callback. */
  readonly onError?: (reason: unknown) => void;
}

/** One conversation with an agent: its current task, and the tasks after it. */
export interface TaskHandle {
  /** Id of the current task. A prompt after its end may start another task of the same session. */
  readonly taskId: string;
  /** Id of the session. */
  readonly contextId: string;
  /**
   * The conversation as this handle knows it. It has the state at the creation of the handle, and
   * all events that {@link events}, {@link watch} or {@link subscribe} have read since. The method
   * returns the same object until the view changes.
   */
  view(): TaskView;
  /**
   * Yields the events of the session from now on. Continues after every break of the connection without gap
   * or repetition. The loop ends when the first turn of this handle, and all turns that the handle
   * prompted, are over. If the handle joined an idle session of a terminal and has not prompted it, the
   * loop ends when the terminal exits. If the agent has our session extension, the events of other clients'
   * turns are included; their `taskId` differs. Leaving the loop only stops reading.
   *
   * A prompt that {@link prompt} sent arrives once as a USER_PROMPT event, when its turn begins. The
   * prompt that started the task only arrives if `after` is a cursor before that prompt.
   */
  events(options?: EventsOptions): AsyncIterable<SessionEvent>;
  /**
   * Calls the listener with the current view, and again after each event; resolves when a loop over
   * {@link events} would end.
   */
  watch(listener: (view: TaskView) => void, options?: CallOptions): Promise<void>;
  /**
   * Calls the listener whenever the view has changed, until the returned function is called. Meanwhile the
   * handle follows the whole session if the agent has our session extension, and otherwise only the tasks
   * that the handle prompts. React's `useSyncExternalStore` accepts this method.
   */
  subscribe(listener: () => void, options?: SubscribeOptions): () => void;
  /**
   * Answers an open question. If another client answered first, the result contains that client's answer.
   * Throws a ProtocolError with the code `confirmation-not-found` if the question does not exist.
   */
  answer(
    toolCall: Pick<ToolCall, "toolCallId">,
    answer: Answer,
    options?: CallOptions,
  ): Promise<AnswerResult>;
  /** Answers several open questions in one message. */
  answerAll(answers: readonly AnswerTo[], options?: CallOptions): Promise<AnswersResult>;
  /**
   * Sends the next prompt of the session; resolves when the agent has accepted the prompt. If a turn runs,
   * the prompt waits in the queue. With `steer`, the prompt joins the running turn instead.
   */
  prompt(prompt: PromptInput, options?: PromptOptions): Promise<void>;
  /** Cancels the running turn of the task. */
  cancel(options?: CallOptions): Promise<void>;
  /**
   * Returns this client's permission mode, the number of clients, and how events name this client; undefined
   * if the agent does not report them.
   */
  presence(options?: CallOptions): Promise<Presence | undefined>;
  /** Push configurations of the task. */
  readonly push: PushConfigs;
}
