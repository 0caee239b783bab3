import type { ReplyEnd } from "../check-reply.js";

const REFUSALS: Readonly<Record<string, string>> = {
  SAFETY: "the content was classified as unsafe",
  PROHIBITED_CONTENT: "the content is prohibited",
  BLOCKLIST: "the content contains a blocked word",
  RECITATION: "the content repeats a protected source",
  SPII: "the content contains personal data",
  LANGUAGE: "the language is not supported",
  IMAGE_SAFETY: "the image was classified as unsafe",
  IMAGE_PROHIBITED_CONTENT: "the image is prohibited",
  IMAGE_RECITATION: "the image repeats a protected source",
};

// A retry usually avoids these mistakes of the model.
const MISTAKES: Readonly<Record<string, string>> = {
  MALFORMED_FUNCTION_CALL: "the tool call cannot be parsed",
  UNEXPECTED_TOOL_CALL: "the tool does not exist",
};

/** Converts the reason why Gemini stopped. */
export function fromFinishReason({
  finishReason,
  finishMessage,
}: {
  readonly finishReason: string;
  /** Gemini's explanation of the reason; empty if Gemini sent none. */
  readonly finishMessage: string;
}): ReplyEnd {
  if (finishReason === "STOP") return { type: "end", how: "whole" };
  if (finishReason === "MAX_TOKENS" || finishReason === "CONTINUATION") {
    return { type: "end", how: "cut-off" };
  }
  const detail = finishMessage === "" ? finishReason : `${finishReason}: ${finishMessage}`;
  const refusal = lookUp(REFUSALS, finishReason);
  if (refusal !== undefined) {
    return { type: "end", how: "refused", reason: `${refusal} (${detail})` };
  }
  const mistake = lookUp(MISTAKES, finishReason);
  if (mistake !== undefined) {
    return { type: "end", how: "invalid", reason: `${mistake} (${detail})` };
  }
  return { type: "end", how: "unknown", reason: detail };
}

function lookUp(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
