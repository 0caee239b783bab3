import { type Field, fieldTable } from "../gen/field-table.js";

/** A field of the table with its flags read once: encoding and parsing run for every event. */
export interface FieldRule {
  readonly name: string;
  readonly localName: string;
  /** A scalar, "struct", "enum", or "message". */
  readonly type: string;
  /** The values of an enum, by number. */
  readonly enumValues: readonly string[];
  /** The name of the field's message. */
  readonly message: string;
  readonly shape: "one" | "list" | "map";
  readonly isRequired: boolean;
  /** Whether absent means something else than the default. */
  readonly isOptional: boolean;
  readonly defaultValue: unknown;
  /** The value that is left out when written; undefined where even the default is written. */
  readonly omittedValue: unknown;
  readonly oneof: string | undefined;
}

const defaults: Readonly<Record<string, unknown>> = { string: "", bool: false, int32: 0 };

/** The fields of every message, by the message's name. */
export const fieldRules: ReadonlyMap<string, readonly FieldRule[]> = new Map(
  Object.entries(fieldTable).map(([name, fields]) => [name, fields.map(toRule)]),
);

function toRule([name, type, flags = "", oneof]: Field): FieldRule {
  const isEnum = typeof type !== "string";
  const defaultValue = isEnum ? type[0] : defaults[type];
  return {
    name,
    localName: name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    type: isEnum ? "enum" : type in fieldTable ? "message" : type,
    enumValues: isEnum ? type : [],
    message: isEnum ? "" : type,
    shape: flags.includes("l") ? "list" : flags.includes("m") ? "map" : "one",
    isRequired: flags.includes("r"),
    isOptional: flags.includes("o"),
    defaultValue,
    omittedValue: oneof !== undefined || /[rwo]/.test(flags) ? undefined : defaultValue,
    oneof,
  };
}
