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

/** What a chunk holds beside the model's parts. */
export interface GeminiChunkOptions {
  readonly finishReason?: string;
  readonly finishMessage?: string;
  readonly usageMetadata?: Readonly<Record<string, number>>;
  readonly citationMetadata?: unknown;
  readonly groundingMetadata?: unknown;
}

/** A chunk as Gemini sends it. */
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

/** A streamed answer of these chunks. */
export function geminiStream(chunks: readonly unknown[], cuts?: StandInCuts): StandInAnswer {
  return eventStream(
    chunks.map((chunk) => JSON.stringify(chunk)),
    cuts,
  );
}

/** A whole answer that says one thing. */
export function geminiText(text: string): StandInAnswer {
  return geminiStream([geminiChunk([{ text }], { finishReason: "STOP" })]);
}

/** What an error tells beside its code and message. */
export interface GeminiErrorOptions {
  /** Google's word, such as `UNAVAILABLE`. */
  readonly status?: string;
  /** Such as `1s`. */
  readonly retryDelay?: string;
}

/** An error as Google's services write it: the body of an answer, or an event of a stream. */
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

/** An answer that is an error. */
export function geminiError(
  code: number,
  message: string,
  options?: GeminiErrorOptions,
): StandInAnswer {
  return jsonAnswer(code, geminiErrorBody(code, message, options));
}
