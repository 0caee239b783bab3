import { fieldTable } from "../gen/field-table.js";

/** A field of the generated table. The flags of the field are decoded once, because every event needs them. */
export interface FieldRule {
  readonly name: string;
  readonly localName: string;
  /** "struct", "enum", "message", or the name of a scalar type. */
  readonly type: string;
  /** Names of an enum's values, by number. If the type is not an enum, the only entry is the type's name. */
  readonly enumValues: readonly string[];
  /** Name of the field's type. It is used only if the type is a message. */
  readonly message: string;
  readonly shape: "one" | "list" | "map";
  readonly isRequired: boolean;
  /** True if an absent field differs from a field with the default value. */
  readonly isOptional: boolean;
  readonly defaultValue: unknown;
  /** Value for which the field is not written; undefined if every value is written. */
  readonly omittedValue: unknown;
  readonly oneof: string | undefined;
}

const DEFAULTS: Readonly<Record<string, unknown>> = { string: "", bool: false, int32: 0 };

/** Fields of every message, by the message's name. */
export const FIELD_RULES: ReadonlyMap<string, readonly FieldRule[]> = new Map(
  Object.entries(fieldTable).map(([name, fields]) => [name, fields.split(",").map(toRule)]),
);

function toRule(field: string): FieldRule {
  const [name = "", type = "", flags = "", oneof] = field.split(" ");
  const enumValues = type.split("|");
  const isEnum = enumValues.length > 1;
  const defaultValue = isEnum ? enumValues[0] : DEFAULTS[type];
  return {
    name,
    localName: name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    type: isEnum ? "enum" : type in fieldTable ? "message" : type,
    enumValues,
    message: type,
    shape: flags.includes("l") ? "list" : flags.includes("m") ? "map" : "one",
    isRequired: flags.includes("r"),
    isOptional: flags.includes("o"),
    defaultValue,
    omittedValue: oneof !== undefined || /[rwo]/.test(flags) ? undefined : defaultValue,
    oneof,
  };
}
