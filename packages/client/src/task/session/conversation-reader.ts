import type { SessionEvent, TaskView } from "@dt/schema";
import type { EventsOptions } from "../task-handle.js";

/** How a conversation is read. */
export interface ReadOptions extends EventsOptions {
  /** Whether to stay for what comes next, whoever begins it. */
  readonly staysOn?: boolean;
}

/** What a conversation is read with. */
export interface ReaderOptions {
  /** Aborts when the client closes. */
  readonly closing: AbortSignal;
  /** Settles when no prompt is on its way. */
  whenSent(): Promise<unknown>;
}

/** What is known of a conversation, and how more of it is heard. */
export interface ConversationReader {
  /** What is known; the same object until it changes. */
  readonly view: TaskView;
  /** The last task. */
  readonly taskId: string;
  /** Whether the last task has ended, as far as is known. */
  readonly isEnded: boolean;
  onChange(listener: () => void): () => void;
  /** What happens; the view follows the loop that is ahead. */
  read(options?: ReadOptions): AsyncGenerator<SessionEvent, void, undefined>;
  /** A prompt was taken: by which task, and what was known before it was sent. */
  sent(next: TaskView, before: TaskView): void;
}

/** The ids of the prompts that a view shows. */
export function promptsIn({ items }: TaskView): readonly string[] {
  return items.flatMap(({ event }) => (event.kind === "USER_PROMPT" ? [event.messageId] : []));
}
