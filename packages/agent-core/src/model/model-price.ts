import type { Usage } from "@dt/schema";

/** Price of a model in dollars per million tokens, as vendors publish it. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Price of input tokens that the vendor had cached. Default: the price of other input. */
  readonly cached?: number;
}

/**
 * Returns the cost of a reply in billionths of a dollar, which is an integer, so that sums are exact.
 * Cached tokens are part of the input, and thoughts are charged as output.
 */
export function costNanosOf(usage: Usage, { input, output, cached = input }: ModelPrice): number {
  const { inputTokens, outputTokens, thoughtTokens, cachedTokens } = usage;
  const fresh = Math.max(0, inputTokens - cachedTokens);
  const dollarsPerMillion =
    fresh * input + cachedTokens * cached + (outputTokens + thoughtTokens) * output;
  return Math.round(dollarsPerMillion * 1_000);
}
