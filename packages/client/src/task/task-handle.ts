import type { Presence, SessionEvent, TaskView, ToolCall } from "@dt/schema";
import type { PushConfigs } from "../push/push-configs.js";
import type { Answer, AnswerResult, AnswersResult, AnswerTo } from "./answer.js";
import type { CallOptions } from "./call-options.js";
import type { PromptInput } from "./prompt-parts.js";

/** Options of {@link TaskHandle.events}. */
export interface EventsOptions extends CallOptions {
  /**
   * The cursor to go on from; it may be one of any task of this conversation, or `"0"`: before the first
   * event. Default: what the view holds already is not told again.
   */
  readonly after?: string;
}

/** Options of {@link TaskHandle.subscribe}. */
export interface SubscribeOptions {
  /** Told when following ends for a reason that cannot heal. Default: nobody is. */
  readonly onError?: (reason: unknown) => void;
}

/** One conversation with an agent: the task that it is in, and those that follow. */
export interface TaskHandle {
  /** The current task. A prompt after its end may start another of the same session. */
  readonly taskId: string;
  /** The session. */
  readonly contextId: string;
  /**
   * What is known of the conversation: what it was when this handle was made, and all that was seen
   * since by {@link events}, {@link watch} or {@link subscribe}. The same object until it changes.
   */
  view(): TaskView;
  /**
   * What happens in the session from here on, until the turns are over that this handle began with or
   * prompted; goes on by itself after every break, without gap or repetition. If the handle joined a
   * terminal's session while it rested, and has not prompted it, the loop stays until the terminal is
   * left. Leaving the loop stops listening, nothing else. Others' turns are told too, where the agent follows sessions; `taskId` of
   * an event tells whose it is.
   *
   * What {@link prompt} sends comes once as a USER_PROMPT, when its turn begins; the prompt that the
   * task was started with does not, unless `after` goes back to before it.
   */
  events(options?: EventsOptions): AsyncIterable<SessionEvent>;
  /** Calls back with the view whenever it changes, for as long as {@link events} tells. */
  watch(listener: (view: TaskView) => void, options?: CallOptions): Promise<void>;
  /**
   * Calls back whenever the view has changed, until the returned function is called; follows the session
   * meanwhile, whoever goes on with it, where the agent has our session extension, else the tasks that
   * this handle prompts. Fits React's `useSyncExternalStore`.
   */
  subscribe(listener: () => void, options?: SubscribeOptions): () => void;
  /**
   * Answers an open question. Losing the race is a result, not an error; a question that nobody asked
   * is a ProtocolError with the code `confirmation-not-found`.
   */
  answer(
    toolCall: Pick<ToolCall, "toolCallId">,
    answer: Answer,
    options?: CallOptions,
  ): Promise<AnswerResult>;
  /** Answers several open questions in one message. */
  answerAll(answers: readonly AnswerTo[], options?: CallOptions): Promise<AnswersResult>;
  /** Sends the next prompt of the session; resolves when the agent has taken it. It waits for its turn. */
  prompt(prompt: PromptInput, options?: CallOptions): Promise<void>;
  /** Ends what the task is doing. */
  cancel(options?: CallOptions): Promise<void>;
  /** What surrounds the session now; undefined where the agent does not tell. */
  presence(options?: CallOptions): Promise<Presence | undefined>;
  /** Who is called when the task changes while no client listens. */
  readonly push: PushConfigs;
}
