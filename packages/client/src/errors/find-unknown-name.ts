import { isObject } from "@dt/schema";

/** The first option that nobody reads: a program without types may have misspelt it. */
export function findUnknownName(given: unknown, known: readonly string[]): string | undefined {
  return Object.keys(isObject(given) ? given : {}).find((name) => !known.includes(name));
}
