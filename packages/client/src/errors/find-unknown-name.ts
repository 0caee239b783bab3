/** Finds the first option with an unknown name, because a program without types may have misspelt it. */
export function findUnknownName(
  given: object | undefined,
  known: readonly string[],
): string | undefined {
  return Object.keys(given ?? {}).find((name) => !known.includes(name));
}
