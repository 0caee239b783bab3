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

/** A chunk as chat completions stream it. */
export function openaiChunk(
  delta: Readonly<Record<string, unknown>>,
  finishReason: string | null = null,
): Readonly<Record<string, unknown>> {
  return {
    ...envelope,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  };
}

/** The chunk that counts tokens, after the last choice. */
export function openaiUsage(
  usage: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return { ...envelope, choices: [], usage };
}

/** A streamed answer of these chunks, and the mark of its end. */
export function openaiStream(chunks: readonly unknown[], cuts?: StandInCuts): StandInAnswer {
  return eventStream([...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"], cuts);
}

/** The same without the mark: for what comes before a break. */
export function openaiStreamOpen(chunks: readonly unknown[]): StandInAnswer {
  return eventStream(chunks.map((chunk) => JSON.stringify(chunk)));
}

/** A whole answer that says one thing. */
export function openaiText(text: string): StandInAnswer {
  return openaiStream([openaiChunk({ role: "assistant", content: text }), openaiChunk({}, "stop")]);
}

/** An answer that is an error. */
export function openaiError(
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): StandInAnswer {
  const error = { message, type: "stand_in_error", param: null, code: null };
  return jsonAnswer(status, { error }, headers);
}

const envelope = {
  id: "chatcmpl-stand-in",
  object: "chat.completion.chunk",
  created: 0,
  model: "stand-in",
};
