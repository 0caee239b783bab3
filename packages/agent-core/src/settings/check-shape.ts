import { findNearest } from "@dt/schema";
import { Ajv, type ErrorObject } from "ajv";
import { createCompiledSchemas } from "../tools/compiled-schemas.js";

/** One mismatch between a value and its schema. */
export interface ShapeFault {
  readonly path: readonly string[];
  readonly problem: string;
  /** True if the fault is an unknown key. */
  readonly isUnknownKey: boolean;
}

/** The compiled schemas of dt's own configuration files. */
export const fileSchemas = createCompiledSchemas({
  createAjv: (options) => new Ajv({ ...options, verbose: true }),
  areTrusted: true,
});

/** Returns all faults of a value according to a JSON Schema; empty if the value matches. */
export function checkShape(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
): readonly ShapeFault[] {
  return fileSchemas.check(schema, value).filter(isReported).map(toFault);
}

// Returns false for faults inside `oneOf` and `anyOf`, and for faults of property names. Ajv then also
// returns a fault of the enclosing value, which is reported instead.
function isReported({ schemaPath, propertyName }: ErrorObject): boolean {
  return !/\/(?:oneOf|anyOf)\/\d/.test(schemaPath) && propertyName === undefined;
}

function toFault(error: ErrorObject): ShapeFault {
  const path = error.instancePath.split("/").slice(1).map(unescapePointer);
  const isUnknownKey = error.keyword === "additionalProperties";
  const key = isUnknownKey ? error.params.additionalProperty : error.params.propertyName;
  return {
    path: typeof key === "string" ? [...path, key] : path,
    problem: problemOf(error),
    isUnknownKey,
  };
}

function problemOf(error: ErrorObject): string {
  switch (error.keyword) {
    case "additionalProperties":
      return describeUnknownKey(error);
    case "enum":
      return `must be one of ${error.params.allowedValues.join(", ")}`;
    case "oneOf":
      return `needs exactly one of ${choicesOf(error.schema).join(" and ")}`;
    case "anyOf":
      return `must be ${alternativesOf(error.schema).join(" or ")}`;
    case "dependencies":
      return `has ${error.params.property}, which is allowed only with ${error.params.deps}`;
    case "propertyNames":
      return "must be a name of letters, digits, dots, dashes and underscores";
    case "pattern":
      return error.params.pattern === "^https?://"
        ? "must be an http or https address"
        : `must match ${error.params.pattern}`;
    default:
      return error.message ?? "is not valid";
  }
}

function describeUnknownKey({ params, parentSchema }: ErrorObject): string {
  const known = Object.keys((parentSchema?.properties ?? {}) as object);
  const meant = findNearest(String(params.additionalProperty), known);
  const hint =
    meant === undefined ? `the settings are ${known.join(", ")}` : `did you mean ${meant}?`;
  return `is not a setting; ${hint}`;
}

function choicesOf(schema: unknown): readonly string[] {
  return (schema as readonly { readonly required: readonly string[] }[]).flatMap(
    ({ required }) => required,
  );
}

function alternativesOf(schema: unknown): readonly string[] {
  const parts = schema as readonly { readonly enum?: readonly string[] }[];
  return parts.map((part) => part.enum?.join(" or ") ?? "a whole number of at least 1");
}

function unescapePointer(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}
