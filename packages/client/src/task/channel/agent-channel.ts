import type { SessionEvent, TaskView } from "@dt/schema";
import type { ClientMessage } from "@dt/schema/wire";
import type { ConversationReader, ReaderOptions } from "../session/conversation-reader.js";

/** Something that a subscription brings: a snapshot to start over from, or one event. */
export type Update =
  | { readonly type: "snapshot"; readonly view: TaskView }
  | { readonly type: "event"; readonly event: SessionEvent };

/** Target of a message: a task, a session (which gets a new task), or neither (a new session). */
export interface MessageTarget {
  readonly taskId?: string;
  readonly contextId?: string;
}

/**
 * The conversation with one agent, whatever its version of A2A and its dialect; breaks are mended here.
 *
 * Every call takes a signal; what it aborts rejects with the signal's reason, a subscription ends.
 */
export type AgentChannel = TaskChannel | SessionChannel;

/** What every channel can do. */
export interface BaseChannel {
  /** Whether a message may go on with a task that has ended; else its session goes on as a new one. */
  readonly continuesEndedTasks: boolean;
  /** Sends a message and resolves with the task, once the agent has taken the message. */
  send(content: ClientMessage, target: MessageTarget, signal?: AbortSignal): Promise<TaskView>;
  /**
   * The task as it stands, with at most so many of its last items. Its cursor is where following goes
   * on from.
   */
  get(taskId: string, signal?: AbortSignal, historyLength?: number): Promise<TaskView>;
  /** Ends what the task is doing. */
  cancel(taskId: string, signal?: AbortSignal): Promise<void>;
}

/** A channel to an agent that can be followed task by task; a cursor is one of its task alone. */
export interface TaskChannel extends BaseChannel {
  /** Whether {@link follow} also brings the prompts that this client sent. Default: no. */
  readonly repeatsPrompts?: boolean;
  /** Reads a conversation over this channel; it comes with the channel, which most pages never load. */
  createReader(options: ReaderOptions, start: TaskView): ConversationReader;
  /**
   * Follows a task, through every break, until it ends. From a cursor: exactly what comes after it.
   * Without one: a snapshot first.
   */
  follow(taskId: string, after: string | undefined, signal?: AbortSignal): AsyncIterable<Update>;
}

/** A channel to an agent with our session extension: a cursor is one of the whole session. */
export interface SessionChannel extends BaseChannel {
  /**
   * Follows all tasks of a session after a cursor, through every break, in the order in which things
   * happened; prompts that this client sent included.
   */
  followSession(
    contextId: string,
    after: string,
    options: FollowOptions,
  ): AsyncIterable<SessionEvent>;
}

/** How a session is followed. */
export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Whether to end once everything is told and no task of the session runs, asks or waits. */
  readonly untilRest: boolean;
}

/** Whether a channel follows sessions. */
export function followsSessions(channel: AgentChannel): channel is SessionChannel {
  return "followSession" in channel;
}
