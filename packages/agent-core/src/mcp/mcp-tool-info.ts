import { isNestedDeeper, MAX_VALUE_DEPTH } from "@dt/schema";

/** A tool as its server describes it. */
export interface McpToolInfo {
  /** The server's own name for it. */
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of the input. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Whether the server says that it only looks. A hint, not a promise. */
  readonly isReadOnly: boolean;
}

/**
 * Reads one entry of a server's list; undefined for one that we cannot offer: without a name or a
 * schema, one nested too deep to be passed on, or one that only runs as a task of the server.
 */
export function parseToolInfo(value: unknown): McpToolInfo | undefined {
  if (isNestedDeeper(value, MAX_VALUE_DEPTH)) return undefined;
  const tool = recordOf(value);
  const schema = recordOf(tool?.inputSchema);
  if (typeof tool?.name !== "string" || tool.name === "" || schema === undefined) return undefined;
  if (recordOf(tool.execution)?.taskSupport === "required") return undefined;
  // A schema's own name and dialect mean nothing to a model, and stop a validator of another dialect.
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
