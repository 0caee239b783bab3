import {
  type ModelStandIn,
  openModelStandIn,
  type ScriptedStandInAnswer,
} from "./open-model-stand-in.js";
import {
  eventStream,
  jsonAnswer,
  type StandInAnswer,
  type StandInCuts,
} from "./stand-in-answer.js";

/** Starts a stand-in for the Gemini API: `models/NAME:streamGenerateContent?alt=sse`. */
export async function openGeminiStandIn(
  answers: readonly ScriptedStandInAnswer[],
): Promise<ModelStandIn> {
  const route = /^POST \/v1beta\/models\/[^/]+:streamGenerateContent\?alt=sse$/;
  return await openModelStandIn({ route, answers });
}

/** Fields of a chunk besides the model's parts. */
export interface GeminiChunkOptions {
  readonly finishReason?: string;
  readonly finishMessage?: string;
  readonly usageMetadata?: Readonly<Record<string, number>>;
  readonly citationMetadata?: unknown;
  readonly groundingMetadata?: unknown;
}

/** Builds a chunk in Gemini's format. */
export function geminiChunk(
  parts: readonly Readonly<Record<string, unknown>>[],
  { usageMetadata, ...candidate }: GeminiChunkOptions = {},
): Readonly<Record<string, unknown>> {
  return {
    candidates: [{ content: { parts, role: "model" }, index: 0, ...candidate }],
    ...(usageMetadata !== undefined && { usageMetadata }),
    modelVersion: "gemini-stand-in",
    responseId: "stand-in",
  };
}

/** Builds a streamed answer of these chunks. */
export function geminiStream(chunks: readonly unknown[], cuts?: StandInCuts): StandInAnswer {
  return eventStream(
    chunks.map((chunk) => JSON.stringify(chunk)),
    cuts,
  );
}

/** Builds a complete answer with one text. */
export function geminiText(text: string): StandInAnswer {
  return geminiStream([geminiChunk([{ text }], { finishReason: "STOP" })]);
}

/** Optional fields of a Gemini error. */
export interface GeminiErrorOptions {
  /** Google's status name, such as `UNAVAILABLE`. */
  readonly status?: string;
  /** A duration such as `1s`. */
  readonly retryDelay?: string;
}

/** Builds an error in Google's format: the body of an answer, or an event of a stream. */
export function geminiErrorBody(
  code: number,
  message: string,
  { status = "UNKNOWN", retryDelay }: GeminiErrorOptions = {},
): Readonly<Record<string, unknown>> {
  const retryInfo = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay };
  return {
    error: { code, message, status, ...(retryDelay !== undefined && { details: [retryInfo] }) },
  };
}

/** Builds an answer that is an error. */
export function geminiError(
  code: number,
  message: string,
  options?: GeminiErrorOptions,
): StandInAnswer {
  return jsonAnswer(code, geminiErrorBody(code, message, options));
}
