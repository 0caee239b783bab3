import type { ExternalTurnEnd, Usage } from "@dt/schema";
import { numberIn, objectIn, textIn } from "./read-json.js";
import { toTokens } from "./read-update.js";

const REASONS: Readonly<Record<string, ExternalTurnEnd["reason"]>> = {
  end_turn: "ended",
  max_tokens: "max-tokens",
  max_turn_requests: "max-requests",
  refusal: "refused",
  cancelled: "cancelled",
};

/** Reads the response that ends a turn. Throws if its reason is unknown. */
export function readTurnEnd(response: unknown): ExternalTurnEnd {
  const stopReason = textIn(response, "stopReason") ?? "";
  const reason = REASONS[stopReason];
  if (reason === undefined) throw new Error(`the turn ended with an unknown reason: ${stopReason}`);
  const usage = readTurnUsage(response);
  return { reason, ...(usage !== undefined && { usage }) };
}

/** Reads the tokens of a turn: the protocol's own field, or the one that Gemini CLI writes. */
function readTurnUsage(response: unknown): Usage | undefined {
  const usage = objectIn(response, "usage");
  const quota = objectIn(objectIn(objectIn(response, "_meta"), "quota"), "token_count");
  const input = numberIn(usage, "inputTokens") ?? numberIn(quota, "input_tokens");
  const output = numberIn(usage, "outputTokens") ?? numberIn(quota, "output_tokens");
  if (input === undefined || output === undefined) return undefined;
  return {
    inputTokens: toTokens(input),
    outputTokens: toTokens(output),
    thoughtTokens: toTokens(numberIn(usage, "thoughtTokens") ?? 0),
    cachedTokens: toTokens(numberIn(usage, "cachedReadTokens") ?? 0),
  };
}
