import { Ajv, type ErrorObject } from "ajv";
import { ToolError } from "../errors/tool-error.js";
import { createCompiledSchemas } from "./compiled-schemas.js";
import type { Tool, ToolInput } from "./tool.js";

/** So many faults are told; a long list with one fault an entry says it often enough. */
const MOST_FAULTS = 20;

/** Keywords whose check may take time beyond proportion; a server checks its input by itself too. */
const UNCHECKED = ["pattern", "patternProperties", "uniqueItems"];

/** Stands for an expression that is never run: any key may be one that it means. */
const anyKey = Object.assign(() => ({ test: () => true }), { code: "anyKey" });

/** The schemas of tools. Those of MCP servers bring keywords of their own, which are not for us to judge. */
export const inputSchemas = createCompiledSchemas((options) => {
  const code = { regExp: anyKey };
  const ajv = new Ajv({ ...options, validateFormats: false, logger: false, code });
  for (const keyword of UNCHECKED) ajv.removeKeyword(keyword);
  return ajv;
});

/** Checks an input against its tool's schema; throws an error that a model can act on. */
export function checkInput(tool: Tool, input: ToolInput): void {
  const errors = inputSchemas.check(tool.parameters, input);
  if (errors.length === 0) return;
  const faults = errors.slice(0, MOST_FAULTS).map(describe).join("; ");
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
