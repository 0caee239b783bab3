/** Finds the first option with an unknown name, such as a misspelt one of a JavaScript caller. */
export function findUnknownName(
  given: object | undefined,
  known: readonly string[],
): string | undefined {
  return Object.keys(given ?? {}).find((name) => !known.includes(name));
}
