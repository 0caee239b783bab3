import { readFile } from "node:fs/promises";
import { type Tool, ToolError } from "@dt/agent-core";

/** Counts the words in a text file. */
export const countWords: Tool = {
  name: "count_words",
  description: "Counts the words in a text file.",
  isReadOnly: true,
  parameters: {
    type: "object",
    properties: { file: { type: "string", description: "The file, relative to the workspace." } },
    required: ["file"],
    additionalProperties: false,
  },

  // Describes the call without reading the file, because the permission to read is decided only after this
  // step.
  async plan({ file }, workspace) {
    const { absolute, display, isInside } = await workspace.resolve(String(file));
    const description = `Count the words in ${display}`;
    return {
      description,
      actions: [{ type: "read", path: absolute, isInside }],
      details: { $case: "genericDetails", value: { description } },
    };
  },

  async run({ file }, { workspace }) {
    const { absolute, display } = await workspace.resolve(String(file));
    const text = await readFile(absolute, "utf8").catch((cause: unknown) => {
      throw new ToolError("not_found", `${display} cannot be read; list the directory`, { cause });
    });
    const count = text.split(/\s+/).filter(Boolean).length;
    return { result: { $case: "text", value: `${display} has ${count} words` } };
  },
};
