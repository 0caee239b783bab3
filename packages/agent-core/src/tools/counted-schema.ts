type Schema = Readonly<Record<string, unknown>>;

/** The keyword by which a schema says what one check against it costs. */
export const COST_KEYWORD = "dt-cost";

/** A schema that counts, and how large it is. */
export interface CountedSchema {
  readonly schema: Schema;
  /** The sum of what its parts cost. */
  readonly cost: number;
  readonly references: number;
}

const withSchema = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const withList = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const withMap = new Set(["$defs", "definitions", "dependencies", "dependentSchemas", "properties"]);

/**
 * The same schema, in which each schema says what it costs: one, and one more for each property that is
 * looked for. With references a small schema can take exponential time, so that time has to be counted.
 */
export function addCosts(schema: Schema): CountedSchema {
  let total = 0;
  let references = 0;

  function visit(value: unknown): unknown {
    if (!isRecord(value)) return value;
    const lookups = isRecord(value.properties) ? Object.keys(value.properties).length : 0;
    const cost = 1 + lookups;
    total += cost;
    if ("$ref" in value) references += 1;
    const members = Object.entries(value).map(([key, member]) => [key, visitMember(key, member)]);
    return { ...Object.fromEntries(members), [COST_KEYWORD]: cost };
  }

  function visitMember(key: string, member: unknown): unknown {
    if (Array.isArray(member)) return withList.has(key) ? member.map(visit) : member;
    if (withSchema.has(key)) return visit(member);
    if (!withMap.has(key) || !isRecord(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([name, inner]) => [name, visit(inner)]));
  }

  return { schema: visit(schema) as Schema, cost: total, references };
}

function isRecord(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
