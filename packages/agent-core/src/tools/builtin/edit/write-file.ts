import { keepLineEndings } from "../../../workspace/text/line-endings.js";
import type { Tool, ToolInput } from "../../tool.js";
import { describeUnreadWrite } from "./describe-unread.js";
import {
  createEditMethods,
  NEW_CONTENT_PARAMETER,
  type TextChange,
  type TextEdit,
} from "./edit-text.js";

/** The fields of the tool that are the same in every session. */
const DECLARATION = {
  name: "write_file",
  description: [
    "Writes a whole text file, creating it and its directories if they do not exist.",
    "The file keeps its mode and its encoding; if it has CRLF line endings, write LF and they are kept.",
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
      ...NEW_CONTENT_PARAMETER,
    },
    required: ["file_path", "content"],
    additionalProperties: false,
  },
} satisfies Partial<Tool>;

/** Creates the tool that writes a whole file. */
export function createWriteFile({ ownEdits }: Pick<TextEdit, "ownEdits">): Tool {
  const editOf = (input: ToolInput): TextEdit => ({
    change: changeOf(input),
    isPartial: false,
    ownEdits,
    describeUnread: (file) => describeUnreadWrite(file, newContentOf(input)),
  });
  return {
    ...DECLARATION,
    ...createEditMethods(editOf),
  };
}

function newContentOf({ content, new_content = content }: ToolInput): string {
  return String(new_content);
}

function changeOf({ content }: ToolInput): TextChange {
  return (oldText) => keepLineEndings(oldText, String(content));
}
