const sizes: readonly (readonly [family: RegExp, tokens: number])[] = [
  [/^gemini-1\.5-pro/, 2_097_152],
  [/^gemini-(1\.5|2|3)/, 1_048_576],
  [/^gemma-3/, 131_072],
];

/** How much a Gemini model takes in at once, where its family is known. */
export function findGeminiContextTokens(model: string): number | undefined {
  return sizes.find(([family]) => family.test(model))?.[1];
}
