import type { ToolOutput } from "@dt/schema";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/sdk/types.js";
import { ToolError } from "../errors/tool-error.js";

/** The longest text that a call may answer with; of more, the middle is cut. */
const longestText = 256 * 1024;

/** What a server answered → the output of its call; throws {@link ToolError} for an error. */
export function toToolOutput(result: CallToolResult): ToolOutput {
  const text = cutMiddle(result.content.map(describe).join("\n"));
  if (result.isError === true) {
    throw new ToolError(
      "mcp_tool_error",
      text === "" ? "the tool failed and did not say why" : text,
    );
  }
  const { structuredContent } = result;
  if (structuredContent === undefined) return { result: { $case: "text", value: text } };
  const json = JSON.stringify(structuredContent);
  if (json.length > longestText) return { result: { $case: "text", value: cutMiddle(json) } };
  return { result: { $case: "structuredData", value: structuredContent } };
}

// What is not text is named, so that the model knows that there was more.
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
  if (text.length <= longestText) return text;
  const half = longestText / 2;
  const cut = text.length - longestText;
  return `${text.slice(0, half)}\n[… ${cut} characters cut …]\n${text.slice(-half)}`;
}
