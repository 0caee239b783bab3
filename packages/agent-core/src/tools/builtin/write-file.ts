import { ToolError } from "../../errors/tool-error.js";
import { buildFileDiff } from "../../workspace/file-diff.js";
import { findText, writeText } from "../../workspace/text-file.js";
import type { Tool } from "../tool.js";

/** Writes a whole file. */
export const writeFile: Tool = {
  name: "write_file",
  description: "Writes content to a file, creating it and its directories where they do not exist.",
  isReadOnly: false,
  parameters: {
    type: "object",
    properties: {
      file_path: {
        type: "string",
        description: "The file, absolute or relative to the workspace.",
      },
      content: { type: "string", description: "The whole new content of the file." },
    },
    required: ["file_path", "content"],
  },

  async plan({ file_path, content }, workspace) {
    const file = await workspace.resolve(String(file_path));
    const diff = buildFileDiff(file, await findText(file.absolute), String(content));
    return {
      description: `Write ${file.display}`,
      actions: [{ type: "edit", path: file.absolute, isInside: file.isInside }],
      details: { $case: "fileEditDetails", value: diff },
    };
  },

  revise: (input, newContent) => ({ ...input, content: newContent }),

  async run({ file_path, content }, { workspace, shown }) {
    const file = await workspace.resolve(String(file_path));
    const oldContent = await findText(file.absolute);
    const seen = shown?.$case === "fileEditDetails" ? shown.value : undefined;
    if (seen !== undefined && (seen.filePath !== file.absolute || seen.oldContent !== oldContent)) {
      throw new ToolError(
        "file_changed",
        `${file.display} changed after the edit was shown; nothing was written`,
      );
    }
    await writeText(file.absolute, String(content));
    return {
      result: { $case: "diff", value: buildFileDiff(file, oldContent, String(content)) },
    };
  },
};
