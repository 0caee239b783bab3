/** The scope of an "always": a key to compare, and a description for the person. */
export interface Scope {
  readonly scope: string;
  readonly words: string;
}

/**
 * Reads a scope from a journal. If an earlier version stored only the key, the description is built from the
 * fields of the key.
 */
export function toScope(stored: Scope | string): Scope {
  if (typeof stored !== "string") return stored;
  const [type = "", ...fields] = stored
    .split(/(?<!\\):/)
    .map((field) => field.replace(/\\(.)/g, "$1"));
  return { scope: stored, words: [type.replaceAll("-", " "), ...fields].join(": ") };
}

/** Builds a key that is different for different lists of fields. */
export function scopeKey(type: string, ...fields: readonly string[]): string {
  return [type, ...fields.map((field) => field.replace(/[\\:]/g, "\\$&"))].join(":");
}
