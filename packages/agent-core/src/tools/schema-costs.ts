type Schema = Readonly<Record<string, unknown>>;

/** Schema keyword whose value is the cost of one check against that schema. */
export const COST_KEYWORD = "dt-cost";

/** A schema with costs, and the number of references in it. */
export interface CountedSchema {
  readonly schema: Schema;
  readonly references: number;
}

const SCHEMA_KEYWORDS = new Set([
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
const SCHEMA_LIST_KEYWORDS = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const SCHEMA_MAP_KEYWORDS = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "properties",
]);

/**
 * Adds a cost to each subschema. The cost is one, plus one for each property, plus one for each value inside
 * `required`, `enum` and `const`. Returns undefined if all costs together exceed `limit`.
 *
 * A check also adds up the costs while it runs, because a small schema with references can take
 * exponential time.
 */
export function addCosts(schema: Schema, limit: number): CountedSchema | undefined {
  let total = 0;
  let references = 0;

  function visit(value: unknown): unknown {
    if (!isRecord(value) || total > limit) return value;
    const lookups = isRecord(value.properties) ? Object.keys(value.properties).length : 0;
    const compared = [value.required, value.enum, value.const];
    const cost = compared.reduce<number>(
      (sum, each) => sum + countValues(each, limit),
      1 + lookups,
    );
    total += cost;
    if ("$ref" in value) references += 1;
    const members = Object.entries(value).map(([key, member]) => [key, visitMember(key, member)]);
    return { ...Object.fromEntries(members), [COST_KEYWORD]: cost };
  }

  function visitMember(key: string, member: unknown): unknown {
    if (Array.isArray(member)) return SCHEMA_LIST_KEYWORDS.has(key) ? member.map(visit) : member;
    if (SCHEMA_KEYWORDS.has(key)) return visit(member);
    if (!SCHEMA_MAP_KEYWORDS.has(key) || !isRecord(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([name, inner]) => [name, visit(inner)]));
  }

  const counted = visit(schema) as Schema;
  return total > limit ? undefined : { schema: counted, references };
}

/** Counts the values inside a value. Stops counting soon after `limit`. */
function countValues(value: unknown, limit: number): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  for (const member of Object.values(value)) {
    count += 1 + countValues(member, limit - count);
    if (count > limit) break;
  }
  return count;
}

function isRecord(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
