import type { HistoryItem } from "./history.js";
import type { ModelPart } from "./model-part.js";

/** A tool as a model is told about it. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of the input. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a model is asked. */
export interface ModelRequest {
  readonly history: readonly HistoryItem[];
  readonly tools: readonly ToolDeclaration[];
  readonly system?: string;
  readonly signal: AbortSignal;
  /** What the answer is for. Default: to go on with the conversation. */
  readonly purpose?: "answer" | "summary";
}

/** A language model, or what stands in for one. */
export interface Model {
  /** The name that events carry. */
  readonly name: string;
  /** How many tokens fit into one request, where that is known. */
  readonly contextTokens?: number;
  /** Streams one answer; throws {@link ModelError} when there is none, stops when aborted. */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

/** Why a model gave no answer. The sentence is for the person; the turn fails, the session lives. */
export class ModelError extends Error {
  override readonly name = "ModelError";
}
