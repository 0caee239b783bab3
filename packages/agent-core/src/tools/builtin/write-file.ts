import { keepLineEndings } from "../../workspace/line-endings.js";
import type { Tool, ToolInput } from "../tool.js";
import {
  newContentParameter,
  planEdit,
  reviseContent,
  runEdit,
  type TextChange,
  type TextEdit,
} from "./edit-text.js";

/** Writes a whole file. */
export function createWriteFile({ ownEdits }: Pick<TextEdit, "ownEdits">): Tool {
  const editOf = (input: ToolInput) => ({ change: changeOf(input), isPartial: false, ownEdits });
  return {
    name: "write_file",
    description: [
      "Writes a whole text file, creating it and its directories where they do not exist.",
      "The file keeps its mode and its encoding; where it has CRLF line endings, write LF and they are kept.",
      "To change a part of a file, use replace.",
    ].join(" "),
    isReadOnly: false,
    parameters: {
      type: "object",
      properties: {
        file_path: {
          type: "string",
          minLength: 1,
          description: "The file, absolute or relative to the workspace.",
        },
        content: { type: "string", description: "The whole new content of the file." },
        ...newContentParameter,
      },
      required: ["file_path", "content"],
      additionalProperties: false,
    },
    plan: (input, workspace) => planEdit(input, workspace, editOf(input)),
    run: (input, run) => runEdit(input, run, editOf(input)),
    revise: reviseContent,
  };
}

function changeOf({ content }: ToolInput): TextChange {
  return (oldText) => keepLineEndings(oldText, String(content));
}
