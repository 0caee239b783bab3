/** Finds the first option whose name is unknown, for example because a JavaScript caller misspelt it. */
export function findUnknownName(
  given: object | undefined,
  known: readonly string[],
): string | undefined {
  return Object.keys(given ?? {}).find((name) => !known.includes(name));
}
