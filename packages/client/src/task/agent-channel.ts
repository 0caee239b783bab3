import type { SessionEvent, TaskView } from "@dt/schema";
import type { ClientMessage } from "@dt/schema/wire";

/** Something that a subscription brings: a snapshot to start over from, or one event. */
export type Update =
  | { readonly type: "snapshot"; readonly view: TaskView }
  | { readonly type: "event"; readonly event: SessionEvent };

/** Where a message goes: to a task, to a session as a new task of it, or, without either, to a new session. */
export interface MessagePlace {
  readonly taskId?: string;
  readonly contextId?: string;
}

/**
 * The conversation with one agent, whatever its version of A2A and its dialect; breaks are mended here.
 *
 * Every call takes a signal; what it aborts rejects with the signal's reason, a subscription ends.
 */
export interface AgentChannel {
  /** Whether a message may go on with a task that has ended; else its session goes on as a new one. */
  readonly continuesEndedTasks: boolean;
  /** Whether {@link follow} also brings the prompts that this client sent. Default: no. */
  readonly repeatsPrompts?: boolean;
  /**
   * Whether a cursor is one of the whole session, so that each of its tasks can be followed from it.
   * Default: no, it is one of its task alone.
   */
  readonly sharesCursors?: boolean;
  /** Sends a message and resolves with the task, once the agent has taken the message. */
  send(content: ClientMessage, place: MessagePlace, signal?: AbortSignal): Promise<TaskView>;
  /**
   * The task as it stands, with at most so many of its last items. Its cursor is where {@link follow}
   * goes on from.
   */
  get(taskId: string, signal?: AbortSignal, historyLength?: number): Promise<TaskView>;
  /**
   * Follows a task, through every break, until it ends. From a cursor: exactly what comes after it.
   * Without one: a snapshot first. `isUnplaced` says that the cursor may be one of a later task of the
   * session, after which nothing of this one comes.
   */
  follow(
    taskId: string,
    after: string | undefined,
    signal?: AbortSignal,
    isUnplaced?: boolean,
  ): AsyncIterable<Update>;
  /** Ends what the task is doing. */
  cancel(taskId: string, signal?: AbortSignal): Promise<void>;
}
