import type { Part } from "../../event/part.js";

/** A request of a face to its session. Plain JSON. */
export type FaceRequest =
  | FacePromptRequest
  | FaceWithdrawRequest
  | FaceCommandRequest
  | FaceAnswerRequest
  | FaceHoldRequest
  | FaceCancelRequest;

/** Starts a turn now, or after earlier turns. The reply arrives when the prompt was accepted. */
export interface FacePromptRequest {
  readonly type: "prompt";
  readonly parts: readonly Part[];
}

/** Removes a prompt from the queue. */
export interface FaceWithdrawRequest {
  readonly type: "withdraw";
  readonly messageId: string;
}

/** Runs a slash command. */
export interface FaceCommandRequest {
  readonly type: "command";
  /** Names of the command, the outermost first, e.g. ["memory", "add"]. */
  readonly path: readonly string[];
  readonly args: string;
}

/** Answers an open question. The first answer wins, no matter which client sends it. */
export interface FaceAnswerRequest {
  readonly type: "answer";
  readonly toolCallId: string;
  readonly optionId: string;
  /** Content that replaces the proposed content. */
  readonly newContent?: string;
  /** Reason for a refusal, which the model reads in the same turn. */
  readonly reason?: string;
}

/**
 * Delays the answers of other clients to a question, because the person is about to answer it. A request
 * without a `toolCallId` ends the delay. A session of another process ignores the request.
 */
export interface FaceHoldRequest {
  readonly type: "hold-answer";
  readonly toolCallId?: string;
}

/** Ends the current work of the agent. */
export interface FaceCancelRequest {
  readonly type: "cancel";
}
