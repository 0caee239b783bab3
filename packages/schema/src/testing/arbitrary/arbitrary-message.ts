import fc from "fast-check";
import { FIELD_RULES, type FieldRule } from "../../validation/field-rule.js";
import type { MessageName } from "../../validation/message-json.js";
import type { Messages } from "../../validation/messages.js";
import { arbitraryJsonObject, arbitraryText } from "./arbitrary-json.js";

/** Names of all protobuf messages. */
export const MESSAGE_NAMES = [...FIELD_RULES.keys()] as readonly MessageName[];

const MAX_NESTING = 3;

/** Any message of a type that is valid by the field table. */
export function arbitraryMessage<TName extends MessageName>(
  name: TName,
): fc.Arbitrary<Messages[TName]> {
  // The cast is safe, because the table and the types are generated from the same protos.
  return arbitraryObject(name, 0) as unknown as fc.Arbitrary<Messages[TName]>;
}

function arbitraryObject(name: string, nesting: number): fc.Arbitrary<object> {
  const rules = FIELD_RULES.get(name) ?? [];
  const oneofs = new Set(rules.flatMap(({ oneof }) => (oneof === undefined ? [] : [oneof])));
  const plain = rules.filter(({ oneof }) => oneof === undefined);
  const fields = Object.fromEntries(
    plain.map((rule) => [rule.localName, arbitraryField(rule, nesting)]),
  );
  const arms = Object.fromEntries(
    [...oneofs].map((oneof) => [
      oneof,
      arbitraryArm(
        rules.filter((rule) => rule.oneof === oneof),
        nesting,
      ),
    ]),
  );
  return fc.record(
    { ...fields, ...arms },
    {
      requiredKeys: [...plain.filter((rule) => !rule.isOptional).map(localName), ...oneofs],
      noNullPrototype: true,
    },
  );
}

function localName(rule: FieldRule): string {
  return rule.localName;
}

function arbitraryArm(rules: readonly FieldRule[], nesting: number): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.constant(undefined),
    ...rules.map((rule) =>
      arbitraryValue(rule, nesting).map((value) => ({ $case: rule.localName, value })),
    ),
  );
}

function arbitraryField(rule: FieldRule, nesting: number): fc.Arbitrary<unknown> {
  const isTooDeep = rule.type === "message" && nesting >= MAX_NESTING;
  const value = isTooDeep ? fc.constant(undefined) : arbitraryValue(rule, nesting);
  const maxLength = isTooDeep ? 0 : 2;
  if (rule.shape === "list") return fc.array(value, { minLength: +rule.isRequired, maxLength });
  if (rule.shape === "map") {
    return fc.dictionary(fc.string({ maxLength: 6 }), value, {
      maxKeys: maxLength,
      noNullPrototype: true,
    });
  }
  return value;
}

function arbitraryValue(rule: FieldRule, nesting: number): fc.Arbitrary<unknown> {
  switch (rule.type) {
    case "string":
      return rule.isRequired ? arbitraryText : fc.oneof(arbitraryText, fc.constant(""));
    case "bool":
      return fc.boolean();
    case "int32":
      return fc.oneof(fc.constant(0), fc.integer());
    case "enum":
      return fc.constantFrom(...rule.enumValues.slice(+rule.isRequired));
    case "struct":
      return arbitraryJsonObject;
    default:
      return arbitraryObject(rule.message, nesting + 1);
  }
}
