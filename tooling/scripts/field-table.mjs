import { ScalarType } from "@bufbuild/protobuf";

const SCALARS = {
  [ScalarType.STRING]: "string",
  [ScalarType.BOOL]: "bool",
  [ScalarType.INT32]: "int32",
};

/** Returns TypeScript source with a table of the fields of our own messages, one entry per message. */
export function buildFieldTable(registry, rules) {
  const messages = [...registry]
    .filter((type) => type.kind === "message" && !type.typeName.startsWith("google."))
    .filter((type) => !type.file.name.startsWith("google/"));
  for (const [rule, fields] of Object.entries(rules)) checkRule(rule, fields, messages);
  const lines = messages.map((message) => messageSource(message, rules));
  return `// Generated from proto/ by tooling/scripts/generate.mjs. Do not edit.

/**
 * The fields of each message. They are written as short text, because browsers load this table and it
 * must stay small. Commas separate the fields, and a field has two to four words:
 *
 * 1. its name in the proto; in TypeScript it is the same in camel case
 * 2. its type: a scalar, "struct", a message's name, or the values of an enum with "|" between them
 * 3. its flags: r required, w written even if it is empty, l list, m map with string keys, o optional (an
 *    absent field differs from one with the default value); "-" if there are no flags but a fourth word follows
 * 4. the name of the oneof, if the field belongs to one
 */
export const fieldTable: Readonly<Record<string, string>> = {
${lines.join("\n")}
};
`;
}

function checkRule(rule, fieldsByType, messages) {
  for (const [typeName, names] of Object.entries(fieldsByType)) {
    const message = messages.find((candidate) => candidate.typeName === typeName);
    for (const name of names) {
      if (!message?.fields.some((field) => field.name === name)) {
        throw new Error(`field-rules.json, ${rule}: there is no field ${typeName}.${name}`);
      }
    }
  }
}

function messageSource(message, rules) {
  const fields = message.fields.map((field) => {
    if (field.localName !== camelCase(field.name)) {
      throw new Error(`${field}: the TypeScript name must be the proto name in camel case`);
    }
    const entry = [field.name, typeOf(field), flagsOf(field, rules) || "-"];
    if (field.oneof !== undefined) entry.push(field.oneof.localName);
    if (entry.at(-1) === "-") entry.pop();
    return entry.join(" ");
  });
  return `  ${message.name}:\n    ${JSON.stringify(fields.join(","))},`;
}

// Converts names as field-rule.ts does, because the table contains only the proto's names.
function camelCase(name) {
  return name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
}

function typeOf(field) {
  if (field.enum !== undefined) return enumValues(field.enum);
  if (field.message !== undefined) {
    return field.message.typeName === "google.protobuf.Struct" ? "struct" : field.message.name;
  }
  const scalar = SCALARS[field.scalar];
  if (scalar === undefined)
    throw new Error(`${field}: message-json.ts has no scalar type ${field.scalar}`);
  return scalar;
}

// Lists the values of an enum, ordered by number, so that message-json.ts can read numeric enums of ProtoJSON.
// 0 is the unspecified value.
function enumValues(descriptor) {
  const names = descriptor.values.map((value, index) => {
    if (value.number !== index)
      throw new Error(`${descriptor.typeName}: enum numbers must start at 0 without gaps`);
    return value.name;
  });
  return names.join("|");
}

function flagsOf(field, rules) {
  const follows = (rule) => rules[rule][field.parent.typeName]?.includes(field.name);
  const isOptional =
    field.oneof === undefined &&
    field.fieldKind !== "list" &&
    field.fieldKind !== "map" &&
    (field.fieldKind === "message" || field.proto.proto3Optional);
  return [
    follows("required") ? "r" : "",
    follows("alwaysWritten") ? "w" : "",
    field.fieldKind === "list" ? "l" : "",
    field.fieldKind === "map" ? "m" : "",
    isOptional ? "o" : "",
  ].join("");
}
