import type { HistoryItem } from "./history.js";
import type { ModelPart } from "./model-part.js";
import type { AttemptLimit } from "./retry/attempt-limit.js";

/** Description of a tool for a model. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of the input. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A request to a model. */
export interface ModelRequest {
  readonly history: readonly HistoryItem[];
  readonly tools: readonly ToolDeclaration[];
  readonly system?: string;
  readonly signal: AbortSignal;
  /** Purpose of the reply. Default: "answer", which is the next step of the conversation. */
  readonly purpose?: "answer" | "summary";
  /** Maximum number of output tokens, thoughts included. Default: the maximum of the model. */
  readonly maxOutputTokens?: number;
  /** Limits each attempt at the reply. Only models with `limitsAttempts` use it. */
  readonly attemptLimit?: AttemptLimit;
}

/** Thinking of a model: on, off, or the maximum number of tokens for thoughts. */
export type Thinking = "on" | "off" | number;

/** A language model, or a replacement such as the offline model. */
export interface Model {
  /** Name of the model, as events contain it. */
  readonly name: string;
  /** Number of tokens that fit into one request; undefined if it is not known. */
  readonly contextTokens?: number;
  /** Maximum number of output tokens of one reply, thoughts included; undefined if it is not known. */
  readonly outputTokens?: number;
  /** True if the model applies `attemptLimit` of a request to each of its attempts. Default: false. */
  readonly limitsAttempts?: boolean;
  /** Streams one reply; throws {@link ModelError} if it fails. Ends early if the signal aborts. */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

/**
 * Thrown if a model cannot be used or fails to reply. The turn fails with the message of this error, and the
 * session continues.
 */
export class ModelError extends Error {
  override readonly name = "ModelError";
}
