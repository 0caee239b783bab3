import { Ajv, type ErrorObject } from "ajv";
import { ToolError } from "../errors/tool-error.js";
import { createCompiledSchemas } from "./compiled-schemas.js";
import { addCosts, COST_KEYWORD } from "./schema-costs.js";
import type { Tool, ToolInput } from "./tool.js";

/** Maximum number of faults in a message. A longer list would mostly repeat the same fault. */
const MAX_FAULTS = 20;

/**
 * Keywords that are ignored, because checking them can take exponential or quadratic time. The MCP
 * server that gets the input can check them itself.
 */
const UNCHECKED = ["pattern", "patternProperties", "uniqueItems"];

/**
 * Maximum cost of a schema that is compiled. The compilation of a costlier schema could take too long or
 * overflow the stack, so an input for such a schema only has to be an object.
 */
const MAX_SCHEMA_COST = 1_000;
const MAX_REFERENCES = 100;

/** Maximum cost of one check. A check of this cost takes about a tenth of a second. */
const MAX_CHECK_COST = 100_000;

/** Cost that the current check may still use. One variable is enough, because checks never overlap. */
let costLeft = MAX_CHECK_COST;

/** Thrown if a check costs more than {@link MAX_CHECK_COST}. */
class CheckTooCostly extends Error {}

/** Creates a regular expression that matches every key. It replaces every expression in a schema. */
const anyKey = Object.assign(() => ({ test: () => true }), { code: "anyKey" });

/** The compiled schemas of tools. Unknown keywords in schemas of MCP servers are ignored. */
export const inputSchemas = createCompiledSchemas({
  createAjv(options) {
    // Ajv's optimizer is off, because it takes longer than the compilation itself.
    const code = { regExp: anyKey, optimize: false };
    const ajv = new Ajv({ ...options, validateFormats: false, logger: false, code });
    for (const keyword of UNCHECKED) ajv.removeKeyword(keyword);
    ajv.addKeyword({ keyword: COST_KEYWORD, validate: spendCost });
    return ajv;
  },
  prepare: prepareSchema,
});

function prepareSchema(parameters: Tool["parameters"]): Tool["parameters"] {
  const counted = addCosts(parameters, MAX_SCHEMA_COST);
  if (counted === undefined || counted.references > MAX_REFERENCES) return { type: "object" };
  return counted.schema;
}

function spendCost(cost: number): boolean {
  costLeft -= cost;
  if (costLeft < 0) throw new CheckTooCostly();
  return true;
}

/** Checks an input against the schema of its tool; throws an error that a model can act on. */
export function checkInput(tool: Tool, input: ToolInput): void {
  const errors = findErrors(tool, input);
  if (errors.length === 0) return;
  const faults = errors.slice(0, MAX_FAULTS).map(describe).join("; ");
  throw new ToolError("invalid_input", `the input of ${tool.name} is not valid: ${faults}`);
}

function findErrors({ name, parameters }: Tool, input: ToolInput): readonly ErrorObject[] {
  costLeft = MAX_CHECK_COST;
  try {
    return inputSchemas.check(parameters, input);
  } catch (reason) {
    if (!(reason instanceof CheckTooCostly)) throw reason;
    const message = `the input of ${name} takes too long to check against its schema; send less in one call`;
    throw new ToolError("invalid_input", message);
  }
}

function describe(error: ErrorObject): string {
  const position = error.instancePath.slice(1).replaceAll("/", ".");
  const fault = `${error.message ?? ""}${detailsOf(error)}`;
  return position === "" ? fault : `${position} ${fault}`;
}

/** Returns the unknown property or the allowed values, which the validator's message does not contain. */
function detailsOf({ keyword, params }: ErrorObject): string {
  if (keyword === "additionalProperties") return `: unknown ${params.additionalProperty}`;
  if (keyword === "enum") return `: ${params.allowedValues.join(", ")}`;
  return "";
}
