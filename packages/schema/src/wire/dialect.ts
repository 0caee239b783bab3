import type { SessionEvent } from "../event/agent-event.js";
import type { ReplyProgress } from "../event/reply-progress.js";
import type { StateTransition, TaskState } from "../event/task-state.js";
import type { TaskView } from "../event/task-view.js";
import type { ExtensionUris } from "../extension/extension-uri.js";
import type { JsonObject } from "../validation/message-json.js";
import type { A2aVersion } from "./a2a/a2a.js";
import type { Operation } from "./a2a/operations.js";
import type { A2aPushConfig } from "./a2a/push/push-config.js";
import type { ClientMessage } from "./canonical/client-message-codec.js";
import type { RpcId } from "./json-rpc.js";

/**
 * A dialect: one folder under `wire`, and one value of this type for each of its variants. Its
 * methods are pure.
 *
 * `TMemory` is the state of one stream between its frames.
 */
export interface Dialect<TMemory = unknown> {
  /** Name of the family, e.g. `canonical`. It is stored with each task, so it must never change. */
  readonly name: string;
  /** Key of the variant, unique among the variants of all dialects. The cache of frames uses it. */
  readonly key: string;
  readonly traits: DialectTraits;
  /**
   * True if the frames of an event depend only on the event and its `StreamPosition`. Such frames are
   * encoded once for all streams.
   */
  readonly sharesFrames: boolean;
  /** True if frames depend on `StreamPosition.reply`, because the reply is sent in chunks. */
  readonly chunksReply: boolean;
  /** Decodes one client message. Throws a ProtocolError with the path of the fault. */
  decodeMessage(params: unknown): ReceivedMessage;
  /** Encodes the frames that open a stream: the task, a snapshot, a history, or nothing. */
  start(view: TaskView, stream: StreamStart): Encoded<TMemory>;
  /** Encodes one event of a stream. Returns no frames if the client does not get this event. */
  encodeEvent(memory: TMemory, event: SessionEvent, at: StreamPosition): Encoded<TMemory>;
  /** Encodes a task for the methods that return a task. */
  encodeTask(view: TaskView, options?: TaskOptions): JsonObject;
  /** Encodes the reply to a message that opened no stream. */
  encodeReply(outcome: MessageOutcome, options?: TaskOptions): JsonObject;
  /** Encodes an error as the reply to a request, with its HTTP status. */
  encodeError(reason: unknown, id: RpcId): EncodedError;
  /** Encodes one event for a push receiver. */
  encodePush(event: SessionEvent): PushContent;
  /** Encodes the task for a push receiver. */
  encodePushTask(view: TaskView): JsonObject;
}

/** Differences between dialects that a server acts on. */
export interface DialectTraits {
  /** A message may continue a task that has ended. */
  readonly continuesEndedTasks: boolean;
  /** A message cannot continue a task that was canceled, even if it may continue other ended tasks. */
  readonly refusesCanceledTasks?: boolean;
  /** The first message of a session must contain its settings. */
  readonly requiresSettings: boolean;
  /** The client has activated the development-tool extension, or the dialect does not need this extension. */
  readonly meetsRequiredExtension: boolean;
  /**
   * While a question is open, a text that equals an option's id answers the question. After any other
   * text, the question is sent again.
   */
  readonly answersInText: boolean;
  /**
   * Clients know one session with one task. Every message is for that session, and an answer contains
   * no id except the id of its tool call.
   */
  readonly hasOneTask: boolean;
  /**
   * Every frame of an HTTP stream is a JSON-RPC result whose id is the id of the session. (the live
   * endpoint's guide, section 3)
   */
  readonly framesNameSession: boolean;
  /**
   * A2A's methods about tasks use this dialect for a task that was created in it, unless the request
   * activates the development-tool extension.
   */
  readonly answersTaskMethods: boolean;
  /**
   * The stream of a message stays open while its turn waits for an answer, and ends with the turn.
   */
  readonly staysOpenAtQuestions: boolean;
  /**
   * A client that sends a message again without a cursor gets a stream that begins with the task as it is
   * now. In other dialects, the stream repeats the events of the message's turn.
   */
  readonly repeatsFromTask: boolean;
}

/** One element of a stream: its JSON text, and its cursor if it has one. */
export interface StreamFrame {
  readonly json: string;
  readonly cursor?: string;
  /** Name of the server-sent event. Without a name, clients get a `message` event. */
  readonly event?: string;
}

/** Frames, and the memory for the frames that follow. */
export interface Encoded<TMemory> {
  readonly memory: TMemory;
  readonly frames: readonly StreamFrame[];
}

/** The reason for which a stream was opened. */
export type StreamStart =
  /** A message opened the stream. */
  | {
      readonly type: "message";
      /** True if the sender did not know the task before. */
      readonly isNewTask: boolean;
      /** Position of the sender's prompt in the queue, from 1; 0 if it does not wait. */
      readonly queuePosition: number;
      /** State of the task at the sender's cursor, if the stream continues after a cursor. */
      readonly knownState?: TaskState;
    }
  /**
   * The message of a client answered none of the open questions. The questions are sent again, and
   * the stream ends.
   */
  | { readonly type: "repeated-question" }
  /** A subscription without a cursor, which begins with a snapshot. */
  | { readonly type: "subscription" }
  /** A subscription that continues after a cursor. */
  | { readonly type: "resumed" }
  /** A client joins a live session; `others` are the session's other tasks with open questions. */
  | { readonly type: "joined"; readonly others: readonly TaskView[] }
  /** A command opened the stream; the reply to the command was sent before. */
  | { readonly type: "command" }
  /** A subscription to the events of all tasks of a session, without a snapshot. */
  | { readonly type: "events" };

/** A family of dialects, such as A2A in its versions, or the dialect of the live endpoint's guide. */
export interface DialectFamily {
  readonly name: string;
  /** True if a request is written in a dialect of this family. */
  recognises(request: DialectRequest, variant: DialectVariant): boolean;
  /** Creates the family's variants, and returns the function that finds the variant of a request. */
  create(uris: ExtensionUris): (variant: DialectVariant) => Dialect;
}

/** The variant of a family that a client speaks. */
export interface DialectVariant {
  readonly version: A2aVersion;
  readonly developmentTool: boolean;
  readonly session: boolean;
}

/** Position of an event in its stream. */
export interface StreamPosition {
  /** True if the stream ends with this event. */
  readonly isLast: boolean;
  /**
   * Progress of the agent's reply before this event. It is the same in all streams of the task. It
   * is undefined if the stream began without a snapshot and after the start of the reply, or if
   * `chunksReply` is false.
   */
  readonly reply?: ReplyProgress | undefined;
}

/** Options for encoding a task or a reply. */
export interface TaskOptions {
  /** Maximum number of messages; the last ones are included. Default: all messages. */
  readonly historyLength?: number;
  /** Changes of the task's state to include. Default: none. */
  readonly transitions?: readonly StateTransition[];
}

/** State of the task and the turn after a message. */
export interface MessageOutcome {
  readonly task: TaskView;
  /** View of only this turn's events; empty if the reply did not wait for the turn. */
  readonly turn: TaskView;
  /** Position of the prompt in the queue, from 1; 0 if it does not wait. */
  readonly queuePosition: number;
}

/** One message of a client, decoded. */
export interface ReceivedMessage extends TaskOptions {
  /** Id that the client sent. If it is absent, the server creates an id. */
  readonly messageId?: string;
  readonly taskId?: string;
  readonly contextId?: string;
  readonly content: ClientMessage;
  /** Push config in the message, and its path in the request. */
  readonly push?: { readonly config: A2aPushConfig; readonly path: string };
  /** True if the reply does not wait for the end of the turn. */
  readonly returnsImmediately: boolean;
}

/** An error as a reply. */
export interface EncodedError {
  readonly status: number;
  readonly body: JsonObject;
  /** Name of the event if the error is sent on a stream of server-sent events. Default: none. */
  readonly event?: string;
}

/** Content for a push receiver: nothing, the task at the time of the event, or another body. */
export type PushContent =
  | { readonly type: "nothing" }
  | { readonly type: "task" }
  | { readonly type: "body"; readonly body: JsonObject };

/** Properties of a request by which its dialect is found. */
export interface DialectRequest {
  readonly operation: Operation;
  readonly params: unknown;
  /** True on an endpoint that shares one session with all clients. */
  readonly isLive: boolean;
  /** Name of the family whose own route got the request; absent on the routes of A2A. */
  readonly family?: string;
}
