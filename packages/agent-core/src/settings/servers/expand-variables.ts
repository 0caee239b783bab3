/** Values for `${NAME}`, by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A value with its variables expanded. */
export interface Expanded<TValue> {
  readonly value: TValue;
  /** Names that are not set; each was replaced with an empty string. */
  readonly missing: readonly string[];
}

/** Expands `${NAME}` in every string of a value, but not in keys. */
export function expandVariables<TValue>(value: TValue, variables: Variables): Expanded<TValue> {
  const missing = new Set<string>();
  // The cast is safe because strings stay strings and everything else keeps its shape.
  return { value: expand(value) as TValue, missing: [...missing] };

  function expand(part: unknown): unknown {
    if (typeof part === "string") return part.replaceAll(/\$\{([^{}]+)\}/g, fill);
    if (Array.isArray(part)) return part.map(expand);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, expand(inner)]));
  }

  function fill(_whole: string, name: string): string {
    const found = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (found === undefined) missing.add(name);
    return found ?? "";
  }
}
