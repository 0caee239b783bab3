import { isNestedDeeper, MAX_VALUE_DEPTH } from "@dt/schema";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";

const isDeep = (value: unknown) => isNestedDeeper(value, MAX_VALUE_DEPTH);

/** Removes the parts of a result that are nested too deep to be stored, and adds a note about them. */
export function limitDepth(result: CallToolResult): CallToolResult {
  if (!isDeep(result)) return result;
  const { content, structuredContent, isError } = result;
  const text = `[content nested deeper than ${MAX_VALUE_DEPTH} levels, not shown]`;
  const kept = content.filter((block) => !isDeep(block));
  const hasRemoved = kept.length < content.length || isDeep(structuredContent);
  return {
    content: hasRemoved ? [...kept, { type: "text", text }] : kept,
    ...(structuredContent !== undefined && !isDeep(structuredContent) && { structuredContent }),
    ...(isError !== undefined && { isError }),
  };
}
