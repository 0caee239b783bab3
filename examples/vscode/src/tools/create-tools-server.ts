import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { cutText } from "./cut-text.js";
import type { EditorContext } from "./editor-context.js";

/** Maximum size of a text that a tool returns. */
export const MAX_TEXT_BYTES = 64_000;

/** Maximum number of problems that a tool returns. */
const MAX_PROBLEMS = 100;

const MAX_MESSAGE_BYTES = 1_000;

const FIRST_LINE = z.number().int().min(1).optional().describe("First line, from 1. Default: 1.");
const FILE_PATH = z.string().optional().describe("Absolute path of a file. Default: all files.");

/** Creates an MCP server with tools that read the editor and change nothing. */
export function createToolsServer(context: EditorContext): McpServer {
  const server = new McpServer({ name: "vscode", version: "0.1.0" });
  const annotations = { readOnlyHint: true, openWorldHint: false };

  // region: snippet
  server.registerTool(
    "get_active_editor",
    {
      description:
        "Returns the file in front of the editor: path, language and text, with changes that are not saved. " +
        `At most ${MAX_TEXT_BYTES} bytes; if isTruncated is true, call it again with the next firstLine.`,
      inputSchema: { firstLine: FIRST_LINE },
      annotations,
    },
    ({ firstLine = 1 }) => {
      const document = context.activeDocument();
      if (document === undefined) return failed("no file is open in the editor");
      const { filePath, language, isUnsaved } = document;
      const text = skipLines(document.text(), firstLine);
      return succeeded({
        filePath,
        language,
        isUnsaved,
        firstLine,
        ...cutText(text, MAX_TEXT_BYTES),
      });
    },
  );
  // endregion
  server.registerTool(
    "get_selection",
    {
      description: "Returns the text that is selected in the file in front of the editor.",
      annotations,
    },
    () => {
      const document = context.activeDocument();
      if (document === undefined) return failed("no file is open in the editor");
      const { filePath, selection } = document;
      return succeeded({ filePath, ...selection, ...cutText(selection.text, MAX_TEXT_BYTES) });
    },
  );
  server.registerTool(
    "get_diagnostics",
    {
      description: "Returns the errors and warnings that the editor shows.",
      inputSchema: { filePath: FILE_PATH },
      annotations,
    },
    ({ filePath }) => {
      const found = context.problems(filePath);
      const problems = found.slice(0, MAX_PROBLEMS).map((problem) => ({
        ...problem,
        message: cutText(problem.message, MAX_MESSAGE_BYTES).text,
      }));
      return succeeded({ problems, isTruncated: problems.length < found.length });
    },
  );
  return server;
}

function skipLines(text: string, firstLine: number): string {
  let start = 0;
  for (let line = 1; line < firstLine; line += 1) {
    const end = text.indexOf("\n", start);
    if (end < 0) return "";
    start = end + 1;
  }
  return text.slice(start);
}

function succeeded(value: object): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }] };
}

function failed(reason: string): CallToolResult {
  return { content: [{ type: "text", text: reason }], isError: true };
}
