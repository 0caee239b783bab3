import type { ToolOutput } from "@dt/schema";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/sdk/types.js";
import { ToolError } from "../errors/tool-error.js";

/** Maximum number of characters of a result. The middle of a longer text is cut out. */
const MAX_TEXT_LENGTH = 256 * 1024;

/** Converts the result of a call; throws {@link ToolError} if the server reports an error. */
export function toToolOutput(result: CallToolResult): ToolOutput {
  const text = cutMiddle(result.content.map(describe).join("\n"));
  if (result.isError === true) {
    throw new ToolError("mcp_tool_error", text === "" ? "the tool failed without a reason" : text);
  }
  const { structuredContent } = result;
  if (structuredContent === undefined) return { result: { $case: "text", value: text } };
  const json = JSON.stringify(structuredContent);
  if (json.length > MAX_TEXT_LENGTH) return { result: { $case: "text", value: cutMiddle(json) } };
  return { result: { $case: "structuredData", value: structuredContent } };
}

// Returns the text of a block. Content that is not text is described, so that the model knows that it exists.
function describe(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type} ${block.mimeType}, ${sizeOf(block.data)} bytes, not shown]`;
    case "resource_link":
      return `[resource ${block.uri}: ${block.title ?? block.name}]`;
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return `[resource ${resource.uri}]\n${resource.text}`;
      return `[resource ${resource.uri}, ${sizeOf(resource.blob)} bytes, not shown]`;
    }
  }
}

function sizeOf(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}

function cutMiddle(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text;
  const half = MAX_TEXT_LENGTH / 2;
  const cut = text.length - MAX_TEXT_LENGTH;
  return `${text.slice(0, half)}\n[… ${cut} characters cut …]\n${text.slice(-half)}`;
}
