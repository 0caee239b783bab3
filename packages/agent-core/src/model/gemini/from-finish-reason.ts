import type { AnswerEnd } from "../check-answer.js";

const refusals: Readonly<Record<string, string>> = {
  SAFETY: "what came next was held to be unsafe",
  PROHIBITED_CONTENT: "what came next is prohibited",
  BLOCKLIST: "what came next holds a blocked word",
  RECITATION: "what came next repeats a protected source",
  SPII: "what came next holds personal data",
  LANGUAGE: "it does not speak this language",
  IMAGE_SAFETY: "its image was held to be unsafe",
  IMAGE_PROHIBITED_CONTENT: "its image is prohibited",
  IMAGE_RECITATION: "its image repeats a protected source",
};

// Slips of the model: asked again, it mostly does better.
const slips: Readonly<Record<string, string>> = {
  MALFORMED_FUNCTION_CALL: "it asked for a tool in a way that cannot be read",
  UNEXPECTED_TOOL_CALL: "it asked for a tool that it was not given",
};

/** Why Gemini stopped, in our words. */
export function fromFinishReason({
  finishReason,
  finishMessage,
}: {
  readonly finishReason: string;
  /** Empty if there is none. */
  readonly finishMessage: string;
}): AnswerEnd {
  if (finishReason === "STOP") return { type: "end", how: "whole" };
  if (finishReason === "MAX_TOKENS" || finishReason === "CONTINUATION") {
    return { type: "end", how: "cut-off" };
  }
  const detail = finishMessage === "" ? finishReason : `${finishReason}: ${finishMessage}`;
  const refusal = lookUp(refusals, finishReason);
  if (refusal !== undefined) {
    return { type: "end", how: "refused", reason: `${refusal} (${detail})` };
  }
  const slip = lookUp(slips, finishReason);
  if (slip !== undefined) return { type: "end", how: "spoilt", reason: `${slip} (${detail})` };
  return { type: "end", how: "unknown", reason: detail };
}

function lookUp(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
