const CONTEXT_TOKENS: readonly (readonly [family: RegExp, tokens: number])[] = [
  [/^gemini-1\.5-pro/, 2_097_152],
  [/^gemini-(1\.5|2|3)/, 1_048_576],
  [/^gemma-3/, 131_072],
];

/** Finds the number of tokens that fit into one request of a Gemini model. */
export function findGeminiContextTokens(model: string): number | undefined {
  return CONTEXT_TOKENS.find(([family]) => family.test(model))?.[1];
}

/** Returns the maximum number of output tokens of a Gemini model. Older models have 8,192. */
export function findGeminiOutputTokens(model: string): number {
  return /^gemini-(2\.5|[3-9])/.test(model) ? 65_536 : 8_192;
}
