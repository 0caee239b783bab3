/** What an "always" covers: a key to compare, and words for the person. */
export interface Scope {
  readonly scope: string;
  readonly words: string;
}

/**
 * A scope as a journal holds it; earlier versions wrote the key alone, whose fields are readable enough
 * to show.
 */
export function toScope(stored: Scope | string): Scope {
  if (typeof stored !== "string") return stored;
  const [type = "", ...fields] = stored
    .split(/(?<!\\):/)
    .map((field) => field.replace(/\\(.)/g, "$1"));
  return { scope: stored, words: [type.replaceAll("-", " "), ...fields].join(": ") };
}

/** A key that no two different lists of fields share. */
export function scopeKey(type: string, ...fields: readonly string[]): string {
  return [type, ...fields.map((field) => field.replace(/[\\:]/g, "\\$&"))].join(":");
}
