import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { ToolError } from "../errors/tool-error.js";
import type { Tool, ToolInput } from "./tool.js";

// Tools of MCP servers bring schemas with keywords of their own; those are not for us to judge.
const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, logger: false });
const validators = new WeakMap<object, ValidateFunction>();

/** Checks an input against its tool's schema; throws an error that a model can act on. */
export function checkInput(tool: Tool, input: ToolInput): void {
  let validate = validators.get(tool.parameters);
  if (validate === undefined) {
    validate = ajv.compile(tool.parameters);
    validators.set(tool.parameters, validate);
  }
  if (validate(input)) return;
  const faults = (validate.errors ?? []).map(describe).join("; ");
  throw new ToolError("invalid_input", `the input of ${tool.name} is not valid: ${faults}`);
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
