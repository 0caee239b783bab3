import type { Tool, ToolInput } from "../../tool.js";
import { applyReplacement } from "./apply-replacement.js";
import { describeUnreadReplacement, describeUnreadWrite } from "./describe-unread.js";
import {
  createEditMethods,
  NEW_CONTENT_PARAMETER,
  type TextChange,
  type TextEdit,
} from "./edit-text.js";

/** The fields of the tool that are the same in every session. */
const DECLARATION = {
  name: "replace",
  description: [
    "Replaces exact text in a text file. Read the file first: old_string must match the file character for character, including indentation, and must occur exactly once.",
    "Give a few unchanged lines before and after the change, so that old_string occurs once; to change every occurrence, give their number as expected_replacements.",
    "An empty old_string creates a file that does not exist yet.",
    "The file keeps its mode, encoding and line endings; use LF in old_string and new_string.",
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
      old_string: { type: "string", description: "The exact text to replace." },
      new_string: { type: "string", description: "The exact text to put in its place." },
      expected_replacements: {
        type: "integer",
        minimum: 1,
        description: "Number of times that old_string occurs; all of them are replaced. Default 1.",
      },
      ...NEW_CONTENT_PARAMETER,
    },
    required: ["file_path", "old_string", "new_string"],
    additionalProperties: false,
  },
} satisfies Partial<Tool>;

/** Creates the tool that replaces text in a file. */
export function createReplace({ ownEdits }: Pick<TextEdit, "ownEdits">): Tool {
  const editOf = (input: ToolInput): TextEdit => ({
    change: changeOf(input),
    isPartial: true,
    ownEdits,
    describeUnread: (file) =>
      input.new_content === undefined
        ? describeUnreadReplacement(file, replacementOf(input))
        : describeUnreadWrite(file, String(input.new_content)),
  });
  return {
    ...DECLARATION,
    ...createEditMethods(editOf),
  };
}

function changeOf(input: ToolInput): TextChange {
  return (oldText, file) => applyReplacement(oldText, { ...replacementOf(input), file });
}

function replacementOf({ old_string, new_string, expected_replacements = 1 }: ToolInput) {
  return {
    oldString: String(old_string),
    newString: String(new_string),
    expected: Number(expected_replacements),
  };
}
