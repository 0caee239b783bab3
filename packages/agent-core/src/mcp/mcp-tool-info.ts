import { isNestedDeeper, MAX_VALUE_DEPTH } from "@dt/schema";

/** A tool as its server describes it. */
export interface McpToolInfo {
  /** Name of the tool at its server. */
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of the input. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** True if the server says that the tool only reads. This is a hint, and not a promise. */
  readonly isReadOnly: boolean;
}

/**
 * Parses one tool of a server's list. Returns undefined if the tool cannot be offered, because it has no name
 * or no schema, is nested too deep to be sent to clients, or runs only as an MCP task.
 */
export function parseToolInfo(value: unknown): McpToolInfo | undefined {
  if (isNestedDeeper(value, MAX_VALUE_DEPTH)) return undefined;
  const tool = recordOf(value);
  const schema = recordOf(tool?.inputSchema);
  if (typeof tool?.name !== "string" || tool.name === "" || schema === undefined) return undefined;
  if (recordOf(tool.execution)?.taskSupport === "required") return undefined;
  // Models ignore `$schema` and `$id`, and a validator of another JSON Schema version refuses them.
  const { $schema: _dialect, $id: _id, ...parameters } = schema;
  return {
    name: tool.name,
    description: typeof tool.description === "string" ? tool.description : "",
    parameters: { type: "object", ...parameters },
    isReadOnly: recordOf(tool.annotations)?.readOnlyHint === true,
  };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
}
