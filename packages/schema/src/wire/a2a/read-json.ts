import { failAt, isObject, type JsonObject } from "../../validation/message-json.js";

// These functions read untrusted JSON. They throw with the path of a value that has the wrong type.

export function readObject(json: unknown, path: string): JsonObject {
  return isObject(json) ? json : failAt(path, "expected an object");
}

export function readString(json: JsonObject, key: string, path: string): string {
  const value = json[key];
  if (typeof value !== "string") return failAt(join(path, key), "expected a string");
  return value === "" ? failAt(join(path, key), "required") : value;
}

/** Reads a string. Absent, null and "" become undefined, because ProtoJSON writers use all three. */
export function findString(json: JsonObject, key: string, path: string): string | undefined {
  const value = json[key] ?? "";
  if (typeof value !== "string") return failAt(join(path, key), "expected a string");
  return value === "" ? undefined : value;
}

/** Reads base64 of either alphabet. "" does not mean absent, but the content of an empty file. */
export function findBytes(json: JsonObject, key: string, path: string): string | undefined {
  const value = json[key] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== "string") return failAt(join(path, key), "expected a string");
  return isBase64(value) ? value : failAt(join(path, key), "expected base64");
}

// Returns true for base64. The padding and the characters are checked separately, because a single
// pattern for the whole text would backtrack over millions of characters.
function isBase64(text: string): boolean {
  const padding = text.endsWith("==") ? 2 : Number(text.endsWith("="));
  const length = text.length - padding;
  const isWhole = padding === 0 ? length % 4 !== 1 : text.length % 4 === 0;
  return isWhole && !/[^\w+/-]/.test(text.slice(0, length));
}

export function findBoolean(json: JsonObject, key: string, path: string): boolean | undefined {
  const value = json[key] ?? undefined;
  if (value === undefined || typeof value === "boolean") return value;
  return failAt(join(path, key), "expected true or false");
}

export function findCount(json: JsonObject, key: string, path: string): number | undefined {
  const value = json[key] ?? undefined;
  if (value === undefined) return undefined;
  // ProtoJSON also allows a number as text.
  const count = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof count === "number" && Number.isSafeInteger(count) && count >= 0) return count;
  return failAt(join(path, key), "expected a whole number of at least 0");
}

export function findObject(json: JsonObject, key: string, path: string): JsonObject | undefined {
  const value = json[key] ?? undefined;
  return value === undefined ? undefined : readObject(value, join(path, key));
}

export function findList(
  json: JsonObject,
  key: string,
  path: string,
): readonly unknown[] | undefined {
  const value = json[key] ?? undefined;
  if (value === undefined || Array.isArray(value)) return value;
  return failAt(join(path, key), "expected a list");
}

export function findStrings(
  json: JsonObject,
  key: string,
  path: string,
): readonly string[] | undefined {
  return findList(json, key, path)?.map((item, index) =>
    typeof item === "string" ? item : failAt(`${join(path, key)}[${index}]`, "expected a string"),
  );
}

/** Joins a path and a key. */
export function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

/** Returns the metadata, or undefined if it is empty. */
export function nonEmpty(metadata: JsonObject): JsonObject | undefined {
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}

/**
 * Removes keys whose value is undefined, because JSON has no undefined. If there are no such keys,
 * returns the same object to save time, because this function runs several times for every event.
 */
export function compact<TValue extends object>(value: TValue): Compact<TValue> {
  // The cast is safe in both cases, because no key with undefined is left.
  return (
    Object.values(value).includes(undefined) ? withoutUndefined(value) : value
  ) as Compact<TValue>;
}

function withoutUndefined(value: object): object {
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) result[key] = item;
  }
  return result;
}

type Compact<TValue> = {
  [TKey in keyof TValue as undefined extends TValue[TKey] ? never : TKey]: TValue[TKey];
} & {
  [TKey in keyof TValue as undefined extends TValue[TKey] ? TKey : never]?: Exclude<
    TValue[TKey],
    undefined
  >;
};
