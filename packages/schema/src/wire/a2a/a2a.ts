import type { Artifact, Part } from "../../event/part.js";
import type { TaskState } from "../../event/task-state.js";
import type { JsonObject } from "../../validation/message-json.js";
import type { PushSpelling } from "./push/push-config.js";

/** State of a task in A2A: a `TaskState`, or `unknown`, which only other agents send. */
export type A2aState = TaskState | "unknown";

/** An A2A message, independent of the version's spelling. */
export interface A2aMessage {
  readonly messageId: string;
  readonly role: "user" | "agent";
  readonly parts: readonly Part[];
  readonly taskId?: string;
  readonly contextId?: string;
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
}

/** State of a task, with the time at which it was recorded, and the agent's message about it. */
export interface A2aStatus {
  readonly state: A2aState;
  readonly timestamp?: string;
  readonly message?: A2aMessage;
}

/** An A2A task. */
export interface A2aTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: A2aStatus;
  readonly history?: readonly A2aMessage[];
  readonly artifacts?: readonly Artifact[];
  readonly metadata?: JsonObject;
}

/** One element of a stream. */
export type A2aFrame =
  | { readonly type: "task"; readonly task: A2aTask }
  | { readonly type: "message"; readonly message: A2aMessage }
  | ({ readonly type: "status-update" } & A2aStatusUpdate)
  | ({ readonly type: "artifact-update" } & A2aArtifactUpdate);

/** A frame that `encodePush` encodes for a push receiver. */
export type A2aPushFrame = A2aFrame & { readonly type: "task" | "status-update" };

/** A change of a task's status. */
export interface A2aStatusUpdate {
  readonly taskId: string;
  readonly contextId: string;
  readonly status: A2aStatus;
  /** True if this update is the last one of its stream. Only A2A 0.3 sends this, as `final`. */
  readonly isFinal: boolean;
  readonly metadata?: JsonObject;
}

/** A piece of an artifact. */
export interface A2aArtifactUpdate {
  readonly taskId: string;
  readonly contextId: string;
  readonly artifact: Artifact;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly metadata?: JsonObject;
}

/** A version of the A2A protocol that we speak. */
export type A2aVersion = "0.3" | "1.0";

/**
 * JSON spelling of messages, tasks and frames in one version of A2A. Each encoder except `encodePush`
 * has an inverse decoder.
 */
export interface A2aSpelling {
  readonly version: A2aVersion;
  /** Name of the HTTP header that lists the activated extensions. */
  readonly extensionsHeader: string;
  /**
   * True if a message may continue a task that has ended. Even then, the message must come from a client
   * that has activated the RFC's extension.
   */
  readonly continuesEndedTasks: boolean;
  encodeMessage(message: A2aMessage): JsonObject;
  decodeMessage(json: unknown, path: string): A2aMessage;
  encodeTask(task: A2aTask): JsonObject;
  decodeTask(json: unknown, path: string): A2aTask;
  encodeFrame(frame: A2aFrame): JsonObject;
  decodeFrame(json: unknown, path: string): A2aFrame;
  /** Encodes the body that is posted to a push receiver. A2A 0.3 only posts tasks. */
  encodePush(frame: A2aPushFrame): JsonObject;
  encodeState(state: A2aState): string;
  decodeState(spelled: string, path: string): A2aState;
  readonly push: PushSpelling;
}
