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

/** Starts a stand-in for an OpenAI-compatible server; its base URL is `${url}/v1`. */
export async function openOpenaiStandIn(
  answers: readonly ScriptedStandInAnswer[],
): Promise<ModelStandIn> {
  return await openModelStandIn({ route: /^POST \/v1\/chat\/completions$/, answers });
}

/** Builds a chunk of a chat completion stream. */
export function openaiChunk(
  delta: Readonly<Record<string, unknown>>,
  finishReason: string | null = null,
): Readonly<Record<string, unknown>> {
  return {
    ...ENVELOPE,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  };
}

/** Builds the chunk with the token counts, which follows the last choice. */
export function openaiUsage(
  usage: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return { ...ENVELOPE, choices: [], usage };
}

/** Builds a streamed answer of these chunks, with the end marker. */
export function openaiStream(chunks: readonly unknown[], cuts?: StandInCuts): StandInAnswer {
  return eventStream([...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"], cuts);
}

/** Builds a streamed answer without the end marker, for streams that break off. */
export function openaiUnfinishedStream(chunks: readonly unknown[]): StandInAnswer {
  return eventStream(chunks.map((chunk) => JSON.stringify(chunk)));
}

/** Builds a complete answer with one text. */
export function openaiText(text: string): StandInAnswer {
  return openaiStream([openaiChunk({ role: "assistant", content: text }), openaiChunk({}, "stop")]);
}

/** Builds an answer that is an error. */
export function openaiError(
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): StandInAnswer {
  const error = { message, type: "stand_in_error", param: null, code: null };
  return jsonAnswer(status, { error }, headers);
}

const ENVELOPE = {
  id: "chatcmpl-stand-in",
  object: "chat.completion.chunk",
  created: 0,
  model: "stand-in",
};
