import type { SessionEvent, TaskView } from "@dt/schema";
import type { ClientMessage } from "@dt/schema/wire";
import type { ConversationReader, ReaderOptions } from "../session/conversation-reader.js";

/** One update of a subscription: a snapshot to restart from, or an event. */
export type Update =
  | { readonly type: "snapshot"; readonly view: TaskView }
  | { readonly type: "event"; readonly event: SessionEvent };

/**
 * Target of a message: an existing task, else a new task in the session, else a new session if both ids are
 * absent.
 */
export interface MessageTarget {
  readonly taskId?: string;
  readonly contextId?: string;
  /** Id of the message. Default: a new id. */
  readonly messageId?: string;
}

/**
 * The conversation with one agent, independent of its version of A2A and its dialect. It reconnects
 * by itself.
 *
 * When the signal of a method aborts, a call rejects with the reason of the signal, and a
 * subscription ends.
 */
export type AgentChannel = TaskChannel | SessionChannel;

/** Methods that every channel has. */
export interface BaseChannel {
  /**
   * True if a message may continue a task that has ended. If false, the message must start a new task
   * in the same session.
   */
  readonly continuesEndedTasks: boolean;
  /** Sends a message; resolves with the task when the agent has accepted the message. */
  send(content: ClientMessage, target: MessageTarget, signal?: AbortSignal): Promise<TaskView>;
  /**
   * Requests the task with at most `historyLength` of its last items. The cursor of the result can
   * start a subscription.
   */
  get(taskId: string, signal?: AbortSignal, historyLength?: number): Promise<TaskView>;
  /** Cancels the running turn of a task. */
  cancel(taskId: string, signal?: AbortSignal): Promise<void>;
}

/** A channel that follows an agent task by task. A cursor belongs to one task. */
export interface TaskChannel extends BaseChannel {
  /** True if {@link follow} also yields the prompts of this client. Default: false. */
  readonly repeatsPrompts?: boolean;
  /**
   * Creates a reader of a conversation. The method is here, and not in shared code, so that only pages that
   * use such a channel load the reader's code.
   */
  createReader(options: ReaderOptions, start: TaskView): ConversationReader;
  /**
   * Follows a task until the task ends, and reconnects after breaks. Yields exactly the events
   * after the cursor. Without a cursor, a snapshot comes first.
   */
  follow(taskId: string, after: string | undefined, signal?: AbortSignal): AsyncIterable<Update>;
}

/** A channel to an agent with our session extension. A cursor belongs to the whole session. */
export interface SessionChannel extends BaseChannel {
  /**
   * Yields the events after a cursor, of all tasks of a session, in log order, and reconnects after breaks.
   * Prompts of this client are included.
   */
  followSession(
    contextId: string,
    after: string,
    options: FollowOptions,
  ): AsyncIterable<SessionEvent>;
}

/** Options of following a session. */
export interface FollowOptions {
  readonly signal: AbortSignal;
  /** True to end once all events are sent and no task of the session runs, asks or waits for its turn. */
  readonly untilIdle: boolean;
}

/** Returns true if a channel follows whole sessions. */
export function followsSessions(channel: AgentChannel): channel is SessionChannel {
  return "followSession" in channel;
}
