import { isObject, type JsonObject } from "@dt/schema";

/** Returns a field of an untrusted object if it is a string; undefined if it is not. */
export function textIn(value: unknown, field: string): string | undefined {
  const found = isObject(value) ? value[field] : undefined;
  return typeof found === "string" ? found : undefined;
}

/** Returns a field of an untrusted object if it is a finite number; undefined if it is not. */
export function numberIn(value: unknown, field: string): number | undefined {
  const found = isObject(value) ? value[field] : undefined;
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** Returns the elements of a list field that are objects; empty if the field is not a list. */
export function objectsIn(value: unknown, field: string): readonly JsonObject[] {
  const found = isObject(value) ? value[field] : undefined;
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** Returns a field of an untrusted object if it is an object; undefined if it is not. */
export function objectIn(value: unknown, field: string): JsonObject | undefined {
  const found = isObject(value) ? value[field] : undefined;
  return isObject(found) ? found : undefined;
}
