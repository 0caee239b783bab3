/** Returns a property of a value; undefined if the value is not an object or has no such property. */
export function findProperty(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}
