/** What an "always" covers: a key to compare, and words for the person. */
export interface Scope {
  readonly scope: string;
  readonly words: string;
}

/** A key that no two different lists of fields share. */
export function scopeKey(type: string, ...fields: readonly string[]): string {
  return [type, ...fields.map((field) => field.replace(/[\\:]/g, "\\$&"))].join(":");
}
