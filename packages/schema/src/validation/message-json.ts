import { ProtocolError } from "../errors/protocol-error.js";
import { FIELD_RULES, type FieldRule } from "./field-rule.js";
import type { Messages } from "./messages.js";

/** A JSON object. */
export type JsonObject = { readonly [key: string]: unknown };

/** Name of a message of the RFC's extension or of our session extension. */
export type MessageName = keyof Messages;

const MAX_DEPTH = 64;
/** Maximum number of levels that a message adds around the input or output of a tool. */
const ENVELOPE_DEPTH = 8;

/**
 * Maximum nesting of a tool's input and output. It keeps a message that contains them within the limit
 * of {@link parseMessage}.
 */
export const MAX_VALUE_DEPTH = MAX_DEPTH - ENVELOPE_DEPTH;

/**
 * Parses unknown JSON into the checked message of this name.
 *
 * Field names may be the proto's names or their lowerCamelCase. Unknown fields are ignored, and null
 * means absent. Throws `invalid-message` with the path of the fault for a wrong type, a missing
 * required field, an unknown enum value, a field under both names, two fields of one oneof, or too
 * many levels. `path` is the path of the JSON in its request, for these errors.
 */
export function parseMessage<TName extends MessageName>(
  name: TName,
  json: unknown,
  path = "",
): Messages[TName] {
  // The cast is safe, because the table and the types are generated from the same protos.
  return parseObject(name, json, path, 0) as unknown as Messages[TName];
}

/** Encodes a message as JSON with the proto's names. Inverse of {@link parseMessage}. */
export function encodeMessage<TName extends MessageName>(
  name: TName,
  message: Messages[TName],
): JsonObject {
  return encodeObject(name, message as unknown as JsonObject);
}

/** Throws `invalid-message` for the value at a path. */
export function failAt(path: string, expectation: string): never {
  throw new ProtocolError(
    "invalid-message",
    path === "" ? expectation : `${path}: ${expectation}`,
    {
      data: { path },
    },
  );
}

/** Returns true for an object. Returns false for null and lists. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseObject(name: string, json: unknown, path: string, depth: number): JsonObject {
  if (!isObject(json)) failAt(path, "expected an object");
  if (depth > MAX_DEPTH) failAt(path, `nested deeper than ${MAX_DEPTH} levels`);
  const message: Record<string, unknown> = {};
  for (const rule of FIELD_RULES.get(name) ?? []) {
    const value = findField(json, rule, path);
    if (rule.oneof !== undefined) {
      const arm = parseArm(rule, value, path, depth);
      if (arm !== undefined && message[rule.oneof] !== undefined) {
        failAt(joinPath(path, rule.name), `only one field of ${rule.oneof} may be set`);
      }
      message[rule.oneof] ??= arm;
      continue;
    }
    const parsed = parseField(rule, value, path, depth);
    if (rule.isRequired && isEmpty(parsed, rule)) failAt(joinPath(path, rule.name), "required");
    if (parsed !== undefined) message[rule.localName] = parsed;
  }
  return message;
}

function findField(json: JsonObject, { name, localName }: FieldRule, path: string): unknown {
  const value = Object.hasOwn(json, name) ? (json[name] ?? undefined) : undefined;
  if (name === localName || !Object.hasOwn(json, localName)) return value;
  const local = json[localName] ?? undefined;
  if (local !== undefined && value !== undefined) {
    failAt(joinPath(path, name), `also given as ${localName}`);
  }
  return local ?? value;
}

function parseArm(rule: FieldRule, value: unknown, path: string, depth: number) {
  if (value === undefined) return undefined;
  const parsed = parseValue(rule, value, joinPath(path, rule.name), depth);
  return { $case: rule.localName, value: parsed };
}

function parseField(rule: FieldRule, value: unknown, path: string, depth: number): unknown {
  if (value === undefined) return absentValue(rule);
  const fieldPath = joinPath(path, rule.name);
  switch (rule.shape) {
    case "list":
      if (!Array.isArray(value)) failAt(fieldPath, "expected a list");
      return value.map((item, index) => parseValue(rule, item, `${fieldPath}[${index}]`, depth));
    case "map":
      if (!isObject(value)) failAt(fieldPath, "expected an object");
      return mapValues(value, (item, key) =>
        parseValue(rule, item, `${fieldPath}[${JSON.stringify(key)}]`, depth),
      );
    case "one":
      return parseValue(rule, value, fieldPath, depth);
  }
}

function absentValue(rule: FieldRule): unknown {
  if (rule.shape === "list") return [];
  if (rule.shape === "map") return {};
  return rule.isOptional ? undefined : rule.defaultValue;
}

function parseValue(rule: FieldRule, value: unknown, path: string, depth: number): unknown {
  switch (rule.type) {
    case "string":
      return typeof value === "string" ? value : failAt(path, "expected a string");
    case "bool":
      return typeof value === "boolean" ? value : failAt(path, "expected true or false");
    case "int32":
      return parseInt32(value, path);
    case "enum":
      return parseEnum(rule.enumValues, value, path);
    case "struct":
      if (!isObject(value)) failAt(path, "expected an object");
      checkDepth(value, path, depth);
      return value;
    default:
      return parseObject(rule.message, value, path, depth + 1);
  }
}

function parseEnum(names: readonly string[], value: unknown, path: string): string {
  const name = typeof value === "number" ? names[value] : value;
  if (typeof name === "string" && names.includes(name)) return name;
  return failAt(path, `expected one of ${names.slice(1).join(", ")}`);
}

function parseInt32(value: unknown, path: string): number {
  // ProtoJSON allows a number as a string.
  const isNumeric = typeof value === "number" || (typeof value === "string" && /^\S+$/.test(value));
  const number = isNumeric ? Number(value) : Number.NaN;
  return number === (number | 0) ? number | 0 : failAt(path, "expected a 32-bit integer");
}

/** Throws if a value has more than 64 levels, together with the `depth` levels of the JSON around it. */
export function checkDepth(value: unknown, path: string, depth = 0): void {
  if (isNestedDeeper(value, MAX_DEPTH - depth)) {
    failAt(path, `nested deeper than ${MAX_DEPTH} levels`);
  }
}

/** Returns true if a value has more than `levels` levels of objects and lists. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (levels < 0) return true;
  if (Array.isArray(value)) return value.some((item) => isNestedDeeper(item, levels - 1));
  if (!isObject(value)) return false;
  // The loop uses `in`, because a list of all values would be slow to build for large objects.
  for (const key in value) if (isNestedDeeper(value[key], levels - 1)) return true;
  return false;
}

function isEmpty(value: unknown, rule: FieldRule): boolean {
  return Array.isArray(value) ? value.length === 0 : value === rule.defaultValue;
}

function joinPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function encodeObject(name: string, message: JsonObject): JsonObject {
  const json: Record<string, unknown> = {};
  for (const rule of FIELD_RULES.get(name) ?? []) {
    const value = rule.oneof === undefined ? message[rule.localName] : armOf(message, rule);
    if (value !== undefined && value !== rule.omittedValue) {
      const encoded = encodeField(rule, value);
      if (encoded !== undefined) json[rule.name] = encoded;
    }
  }
  return json;
}

// Returns the value of a field of a oneof if that field is set. The cast is safe, because the
// caller's types come from the same protos.
function armOf(message: JsonObject, { oneof = "", localName }: FieldRule): unknown {
  const arm = message[oneof] as { readonly $case: string; readonly value: unknown } | undefined;
  return arm?.$case === localName ? arm.value : undefined;
}

// Encodes a field. Returns undefined for empty lists and maps, which are not written. The casts are
// safe, because the caller's types come from the same protos.
function encodeField(rule: FieldRule, value: unknown): unknown {
  if (rule.shape === "list") {
    const items = value as readonly unknown[];
    return items.length === 0 ? undefined : items.map((item) => encodeValue(rule, item));
  }
  if (rule.shape === "map") {
    const map = value as JsonObject;
    return Object.keys(map).length === 0
      ? undefined
      : mapValues(map, (item) => encodeValue(rule, item));
  }
  return encodeValue(rule, value);
}

function encodeValue(rule: FieldRule, value: unknown): unknown {
  return rule.type === "message" ? encodeObject(rule.message, value as JsonObject) : value;
}

// Changes each value of a map. The object is built from entries, so that a key such as __proto__
// stays an ordinary key.
function mapValues(map: JsonObject, change: (item: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, item]) => [key, change(item, key)]));
}
