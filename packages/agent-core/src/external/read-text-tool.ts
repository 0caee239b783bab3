import { ToolError } from "../errors/tool-error.js";
import { createReadFile } from "../tools/builtin/read-file.js";
import { checkPlanned } from "../tools/check-planned.js";
import type { Tool } from "../tools/tool.js";
import { findText } from "../workspace/text-file.js";

/** Creates a tool that passes the text of a file to `onText`. The result of its call contains only the text's length. */
export function createReadText(onText: (text: string) => void): Tool {
  const readFile = createReadFile();
  return {
    ...readFile,
    async run(input, run) {
      const file = await run.workspace.resolve(String(input.file_path));
      checkPlanned("read", file, run);
      const found = await findText(file, run.workspace);
      if (found === undefined) {
        throw new ToolError("not_found", `${file.display} does not exist`);
      }
      onText(found.text);
      const value = `${found.text.length} characters`;
      return { result: { $case: "text", value } };
    },
  };
}
