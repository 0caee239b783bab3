import type { HistoryItem } from "../model/history.js";
import type { ModelRequest } from "../model/model.js";
import type { ModelPart } from "../model/model-part.js";

/** Bytes for which one token is reserved. Text usually has more bytes per token. */
const BYTES_PER_TOKEN = 3;
/** Tokens that are reserved for an image, whatever its size. */
const IMAGE_TOKENS = 4_096;

/** Input of {@link estimateInputTokens}. */
export interface InputEstimate {
  readonly request: Pick<ModelRequest, "history" | "tools" | "system" | "purpose">;
  /** Number of tokens of the last request and its reply, as the vendor counted them; 0 if no count is known. */
  readonly contextTokens: number;
}

/**
 * Estimates how many tokens a request has at most. The vendor has counted everything up to the last reply, so
 * only later items are estimated from their size. Without such a count, and for a summary, everything is
 * estimated.
 */
export function estimateInputTokens({ request, contextTokens }: InputEstimate): number {
  const { history, tools, system = "" } = request;
  const fixed = tokensIn(JSON.stringify(tools)) + tokensIn(system);
  const whole = fixed + tokensOf(history);
  const lastReply = history.findLastIndex(({ role }) => role === "model");
  if (contextTokens === 0 || lastReply === -1 || request.purpose === "summary") return whole;
  return Math.min(whole, contextTokens + tokensOf(history.slice(lastReply + 1)));
}

/** Estimates how many tokens a part of a reply has. */
export function estimatePartTokens(part: ModelPart): number {
  if (part.type === "notice" || part.type === "usage") return 0;
  return part.type === "file" ? IMAGE_TOKENS : tokensIn(JSON.stringify(part));
}

function tokensOf(history: readonly HistoryItem[]): number {
  let images = 0;
  const text = JSON.stringify(history, (key, value: unknown) => {
    if (!isImage(key, value)) return value;
    images += 1;
    return null;
  });
  return images * IMAGE_TOKENS + tokensIn(text);
}

// An image is a file part of a prompt, or the image of a tool's result.
function isImage(key: string, value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("mediaType" in value)) return false;
  return key === "image" || String(value.mediaType).startsWith("image/");
}

function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
