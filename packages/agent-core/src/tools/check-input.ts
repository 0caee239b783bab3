import { Ajv, type ErrorObject } from "ajv";
import { ToolError } from "../errors/tool-error.js";
import { createCompiledSchemas } from "./compiled-schemas.js";
import { addCosts, COST_KEYWORD } from "./counted-schema.js";
import type { Tool, ToolInput } from "./tool.js";

/** So many faults are told; a long list with one fault an entry says it often enough. */
const MOST_FAULTS = 20;

/** Keywords whose check may take time beyond proportion; a server checks its input by itself too. */
const UNCHECKED = ["pattern", "patternProperties", "uniqueItems"];

/**
 * The largest schema that is compiled. The compiler takes long for larger ones, or runs out of stack; of
 * an input for these only the kind is checked here, and the rest by its server.
 */
const MAX_SCHEMA_COST = 1_000;
const MAX_REFERENCES = 100;

/** What a check may cost: about a tenth of a second. */
const MAX_CHECK_COST = 100_000;

/** What is left of it; a check is never interrupted by another. */
let costLeft = MAX_CHECK_COST;

/** A check that takes too long. */
class CheckTooCostly extends Error {}

/** Stands for an expression that is never run: any key may be one that it means. */
const anyKey = Object.assign(() => ({ test: () => true }), { code: "anyKey" });

/** The schemas of tools. Those of MCP servers bring keywords of their own, which are not for us to judge. */
export const inputSchemas = createCompiledSchemas((options) => {
  // Shortening what it generates takes the compiler longer than all the rest.
  const code = { regExp: anyKey, optimize: false };
  const ajv = new Ajv({ ...options, validateFormats: false, logger: false, code });
  for (const keyword of UNCHECKED) ajv.removeKeyword(keyword);
  ajv.addKeyword({ keyword: COST_KEYWORD, validate: spend });
  return ajv;
}, prepareSchema);

function prepareSchema(parameters: Tool["parameters"]): Tool["parameters"] {
  const counted = addCosts(parameters, MAX_SCHEMA_COST);
  if (counted === undefined || counted.references > MAX_REFERENCES) return { type: "object" };
  return counted.schema;
}

function spend(cost: number): boolean {
  costLeft -= cost;
  if (costLeft < 0) throw new CheckTooCostly();
  return true;
}

/** Checks an input against its tool's schema; throws an error that a model can act on. */
export function checkInput(tool: Tool, input: ToolInput): void {
  const errors = findErrors(tool, input);
  if (errors.length === 0) return;
  const faults = errors.slice(0, MOST_FAULTS).map(describe).join("; ");
  throw new ToolError("invalid_input", `the input of ${tool.name} is not valid: ${faults}`);
}

function findErrors({ name, parameters }: Tool, input: ToolInput): readonly ErrorObject[] {
  costLeft = MAX_CHECK_COST;
  try {
    return inputSchemas.check(parameters, input);
  } catch (reason) {
    if (!(reason instanceof CheckTooCostly)) throw reason;
    const message = `the input of ${name} takes too long to check against its schema; send less at once`;
    throw new ToolError("invalid_input", message);
  }
}

function describe(error: ErrorObject): string {
  const place = error.instancePath.slice(1).replaceAll("/", ".");
  const fault = `${error.message ?? ""}${particulars(error)}`;
  return place === "" ? fault : `${place} ${fault}`;
}

/** What the validator knows and does not say. */
function particulars({ keyword, params }: ErrorObject): string {
  if (keyword === "additionalProperties") return `: there is no ${params.additionalProperty}`;
  if (keyword === "enum") return `: ${params.allowedValues.join(", ")}`;
  return "";
}
