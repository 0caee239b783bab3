import type { ToolOutput } from "@dt/schema";
import { ToolError } from "../../errors/tool-error.js";
import { buildFileDiff } from "../../workspace/file-diff.js";
import { replaceFile } from "../../workspace/replace-file.js";
import { encodeText } from "../../workspace/text-encoding.js";
import { checkEditSize, findText, type TextFile } from "../../workspace/text-file.js";
import type { Workspace, WorkspacePath } from "../../workspace/workspace.js";
import { checkPlanned } from "../check-planned.js";
import type { Plan, ToolInput, ToolRun } from "../tool.js";

/** What a file's text becomes; throws {@link ToolError} where the change does not fit the file. */
export type TextChange = (oldText: string | undefined, file: WorkspacePath) => string;

/**
 * The input that holds what the person made of a change before they approved it: exactly that is
 * written. Set by `revise`; a model that sets it gets what it asks for, shown like any other change.
 */
export const newContentParameter = {
  new_content: {
    type: "string",
    description: "Never set this: it holds the person's own version of the whole file.",
  },
} as const;

/** Puts the person's version of a file into an input. */
export function reviseContent(input: ToolInput, newContent: string): ToolInput {
  return { ...input, new_content: newContent };
}

/** Looks at what an edit would do. */
export async function planEdit(
  input: ToolInput,
  workspace: Workspace,
  change: TextChange,
): Promise<Plan> {
  const file = await workspace.resolve(String(input.file_path));
  const { oldFile, newText } = await readChange(file, input, change);
  return {
    description: `${oldFile === undefined ? "Create" : "Edit"} ${file.display}`,
    actions: [{ type: "edit", path: file.absolute, isInside: file.isInside }],
    details: {
      $case: "fileEditDetails",
      value: buildFileDiff(file, oldFile?.text, newText),
    },
  };
}

/** Does an edit, unless the file is no longer what the person was shown. */
export async function runEdit(
  input: ToolInput,
  run: ToolRun,
  change: TextChange,
): Promise<ToolOutput> {
  const file = await run.workspace.resolve(String(input.file_path));
  checkPlanned("edit", file, run);
  const { oldFile, newText } = await readChange(file, input, change);
  checkShown(file, oldFile, run);
  const encoding = oldFile?.encoding ?? "utf-8";
  await replaceFile(file, {
    bytes: encodeText({ text: newText, encoding }),
    over: oldFile?.version,
  });
  return { result: { $case: "diff", value: buildFileDiff(file, oldFile?.text, newText) } };
}

async function readChange(file: WorkspacePath, input: ToolInput, change: TextChange) {
  const oldFile = await findText(file);
  const newText =
    input.new_content === undefined ? change(oldFile?.text, file) : String(input.new_content);
  checkEditSize(file, Buffer.byteLength(newText));
  return { oldFile, newText };
}

function checkShown(file: WorkspacePath, oldFile: TextFile | undefined, { shown }: ToolRun): void {
  if (shown?.$case !== "fileEditDetails") return;
  const { filePath, oldContent } = shown.value;
  if (filePath === file.absolute && oldContent === oldFile?.text) return;
  throw new ToolError(
    "file_changed",
    `${file.display} changed after the edit was shown; nothing was written: read it again`,
  );
}
