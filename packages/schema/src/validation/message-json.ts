import { ProtocolError } from "../errors/protocol-error.js";
import { type Field, fieldTable } from "../gen/field-table.js";
import type { Messages } from "./messages.js";

/** A JSON object. */
export type JsonObject = { readonly [key: string]: unknown };

/** The name of one of the extension's messages. */
export type MessageName = keyof Messages;

const MAX_DEPTH = 64;
const table: Readonly<Record<string, readonly Field[]>> = fieldTable;

/**
 * Unknown JSON → a checked message of the extension.
 *
 * Reads the proto's names and their lowerCamelCase; ignores fields it does not know; treats null as
 * absent. Anything of a wrong type, a missing required field, an unknown enum value or two arms of
 * one oneof throws `invalid-message` with the path of the fault.
 */
export function parseMessage<TName extends MessageName>(
  name: TName,
  json: unknown,
  path = "",
): Messages[TName] {
  // The table is generated from the same protos as the types: what follows it has their shape.
  return parseObject(name, json, path, 0) as unknown as Messages[TName];
}

/** A message → JSON with the proto's names. Inverse of {@link parseMessage}. */
export function encodeMessage<TName extends MessageName>(
  name: TName,
  message: Messages[TName],
): JsonObject {
  return encodeObject(name, message as unknown as JsonObject);
}

/** Throws the error of a value that is not what its place demands. */
export function failAt(path: string, expectation: string): never {
  throw new ProtocolError(
    "invalid-message",
    path === "" ? expectation : `${path}: ${expectation}`,
    {
      data: { path },
    },
  );
}

/** True for a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseObject(name: string, json: unknown, path: string, depth: number): JsonObject {
  if (!isObject(json)) failAt(path, "expected an object");
  if (depth > MAX_DEPTH) failAt(path, `nested deeper than ${MAX_DEPTH} levels`);
  const message: Record<string, unknown> = {};
  for (const field of table[name] ?? []) {
    const [fieldName, localName, , flags = "", oneof] = field;
    const value = readField(json, field, path);
    const fieldPath = path === "" ? fieldName : `${path}.${fieldName}`;
    if (oneof !== undefined) {
      if (value === undefined) {
        message[oneof] ??= undefined;
        continue;
      }
      if (message[oneof] !== undefined) failAt(fieldPath, `only one of ${oneof} may be given`);
      message[oneof] = { $case: localName, value: parseValue(field, value, fieldPath, depth) };
      continue;
    }
    const parsed = parseField(field, value, fieldPath, depth);
    if (parsed !== undefined) message[localName] = parsed;
    if (flags.includes("r") && isEmpty(parsed, field)) failAt(fieldPath, "required");
  }
  return message;
}

function readField(json: JsonObject, [name, localName]: Field, path: string): unknown {
  const value = Object.hasOwn(json, name) ? (json[name] ?? undefined) : undefined;
  if (name === localName || !Object.hasOwn(json, localName)) return value;
  const local = json[localName] ?? undefined;
  if (local !== undefined && value !== undefined) {
    failAt(path === "" ? name : `${path}.${name}`, `also given as ${localName}`);
  }
  return local ?? value;
}

function parseField(field: Field, value: unknown, path: string, depth: number): unknown {
  const flags = field[3] ?? "";
  if (flags.includes("l")) return parseList(field, value ?? [], path, depth);
  if (flags.includes("m")) return parseMap(field, value ?? {}, path, depth);
  if (value !== undefined) return parseValue(field, value, path, depth);
  return flags.includes("o") ? undefined : defaultOf(field);
}

function parseList(field: Field, value: unknown, path: string, depth: number): unknown[] {
  if (!Array.isArray(value)) failAt(path, "expected a list");
  return value.map((item, index) => parseValue(field, item, `${path}[${index}]`, depth));
}

function parseMap(field: Field, value: unknown, path: string, depth: number): JsonObject {
  if (!isObject(value)) failAt(path, "expected an object");
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      parseValue(field, item, `${path}[${JSON.stringify(key)}]`, depth),
    ]),
  );
}

function parseValue([, , type]: Field, value: unknown, path: string, depth: number): unknown {
  if (typeof type !== "string") return parseEnum(type, value, path);
  switch (type) {
    case "string":
      return typeof value === "string" ? value : failAt(path, "expected a string");
    case "bool":
      return typeof value === "boolean" ? value : failAt(path, "expected true or false");
    case "int32":
      return parseInt32(value, path);
    case "struct":
      if (!isObject(value)) failAt(path, "expected an object");
      checkDepth(value, path, depth);
      return value;
    default:
      return parseObject(type, value, path, depth + 1);
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

function checkDepth(value: unknown, path: string, depth: number): void {
  if (depth > MAX_DEPTH) failAt(path, `nested deeper than ${MAX_DEPTH} levels`);
  if (typeof value !== "object" || value === null) return;
  for (const item of Object.values(value)) checkDepth(item, path, depth + 1);
}

function defaultOf([, , type]: Field): unknown {
  if (typeof type !== "string") return type[0];
  return { string: "", bool: false, int32: 0 }[type];
}

function isEmpty(value: unknown, [, , type]: Field): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof type !== "string") return value === type[0];
  return value === undefined || value === "";
}

function encodeObject(name: string, message: JsonObject): JsonObject {
  const json: Record<string, unknown> = {};
  for (const field of table[name] ?? []) {
    const [fieldName, localName, , flags = "", oneof] = field;
    if (oneof !== undefined) {
      const arm = message[oneof];
      if (isObject(arm) && arm.$case === localName) json[fieldName] = encodeValue(field, arm.value);
      continue;
    }
    const value = message[localName];
    if (value === undefined) continue;
    if (flags.includes("l")) {
      if (isFilledList(value)) json[fieldName] = value.map((item) => encodeValue(field, item));
    } else if (flags.includes("m")) {
      const entries = Object.entries(value as JsonObject);
      if (entries.length === 0) continue;
      json[fieldName] = Object.fromEntries(
        entries.map(([key, item]) => [key, encodeValue(field, item)]),
      );
    } else if (/[rwo]/.test(flags) || value !== defaultOf(field)) {
      json[fieldName] = encodeValue(field, value);
    }
  }
  return json;
}

function isFilledList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function encodeValue([, , type]: Field, value: unknown): unknown {
  return typeof type === "string" && type in table
    ? encodeObject(type, value as JsonObject)
    : value;
}
