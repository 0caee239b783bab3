import type { SessionEvent, TaskView } from "@dt/schema";
import type { EventsOptions } from "../task-handle.js";

/** Options of reading a conversation. */
export interface ReadOptions extends EventsOptions {
  /** True to continue with later turns, including turns of other clients. */
  readonly staysOn?: boolean;
}

/** Dependencies of a {@link ConversationReader}. */
export interface ReaderOptions {
  /** Aborts when the client closes. */
  readonly closing: AbortSignal;
  /** Resolves when no prompt is being sent. */
  whenSent(): Promise<unknown>;
}

/** Reads a conversation, and updates its view. */
export interface ConversationReader {
  /** The conversation so far; the same object until it changes. */
  readonly view: TaskView;
  /** Id of the last task. */
  readonly taskId: string;
  /** True if the last task has ended, as far as is known. */
  readonly isEnded: boolean;
  onChange(listener: () => void): () => void;
  /**
   * Yields the events of the conversation. If several loops read, the loop that is furthest ahead updates
   * the view.
   */
  read(options?: ReadOptions): AsyncGenerator<SessionEvent, void, undefined>;
  /**
   * Records that the task `next` accepted a prompt. `before` is the view before the prompt was sent.
   * `isSteering` is true if the prompt may have joined the running turn.
   */
  sent(next: TaskView, before: TaskView, isSteering?: boolean): void;
}

/** Returns the ids of the prompts in a view. */
export function promptIdsIn({ items }: TaskView): readonly string[] {
  return items.flatMap(({ event }) => (event.kind === "USER_PROMPT" ? [event.messageId] : []));
}
