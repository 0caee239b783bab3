import type { ToolOutput } from "@dt/schema";
import { ToolError } from "../../../errors/tool-error.js";
import { writeEditorText } from "../../../workspace/editor-text.js";
import { replaceFile } from "../../../workspace/replace-file.js";
import { buildFileDiff } from "../../../workspace/text/file-diff.js";
import { encodeText } from "../../../workspace/text/text-encoding.js";
import { checkEditSize, findText } from "../../../workspace/text-file.js";
import type { Workspace, WorkspacePath } from "../../../workspace/workspace.js";
import { editAction } from "../../action.js";
import { checkPlanned } from "../../check-planned.js";
import type { ConfirmationDetails, Plan, Preview, Tool, ToolInput, ToolRun } from "../../tool.js";
import type { OwnEdits } from "./own-edits.js";

/**
 * Computes the new text of a file; throws {@link ToolError} if the change does not fit the file.
 */
export type TextChange = (oldText: string | undefined, file: WorkspacePath) => string;

/** An edit and its context. */
export interface TextEdit {
  readonly change: TextChange;
  /** True if the edit changes only a part of the file, so that it can be applied after another edit. */
  readonly isPartial: boolean;
  /** The edits that the session has made. */
  readonly ownEdits: OwnEdits;
  /** Builds the details of the question about a file that must not be read yet. */
  describeUnread(file: WorkspacePath): ConfirmationDetails;
}

/**
 * The input parameter with the person's own version of the file, which is written unchanged.
 * `revise` sets this parameter. If a model sets the parameter, the question shows the change as usual.
 */
export const NEW_CONTENT_PARAMETER = {
  new_content: {
    type: "string",
    description: "Never set this. It holds the person's own version of the whole file.",
  },
} as const;

/** Adds the person's version of a file to an input. */
function reviseContent(input: ToolInput, newContent: string): ToolInput {
  return { ...input, new_content: newContent };
}

/** Creates the methods of an edit tool. */
export function createEditMethods(
  editOf: (input: ToolInput) => TextEdit,
): Pick<Tool, "plan" | "preview" | "run" | "revise"> {
  return {
    plan: (input, workspace) => planEdit(input, workspace, editOf(input)),
    preview: (input, context) => previewEdit(input, context, editOf(input)),
    run: (input, run) => runEdit(input, run, editOf(input)),
    revise: reviseContent,
  };
}

/** Plans an edit from the path alone, without reading the file. */
async function planEdit(input: ToolInput, workspace: Workspace, edit: TextEdit): Promise<Plan> {
  const file = await workspace.resolve(String(input.file_path));
  return {
    description: `${edit.isPartial ? "Edit" : "Write"} ${file.display}`,
    actions: [editAction(file)],
    details: edit.describeUnread(file),
  };
}

/** Reads the file and shows the change. */
async function previewEdit(
  input: ToolInput,
  context: Pick<ToolRun, "workspace" | "planned">,
  { change }: TextEdit,
): Promise<Preview> {
  const file = await context.workspace.resolve(String(input.file_path));
  checkPlanned("edit", file, context);
  const oldText = (await findText(file, context.workspace))?.text;
  const newText = buildText(input, { file, oldText, change });
  return {
    description: `${oldText === undefined ? "Create" : "Edit"} ${file.display}`,
    details: {
      $case: "fileEditDetails",
      value: buildFileDiff(file, oldText, newText),
    },
  };
}

/**
 * Makes an edit, unless the file has changed since the person saw it.
 *
 * All edits of a step are shown before the first one is made. If an earlier edit of the step has
 * changed the file, only a partial edit is still made, and only if it is the change that the person saw.
 */
async function runEdit(input: ToolInput, run: ToolRun, edit: TextEdit): Promise<ToolOutput> {
  const file = await run.workspace.resolve(String(input.file_path));
  checkPlanned("edit", file, run);
  const oldFile = await findText(file, run.workspace);
  const oldText = oldFile?.text;
  const change = getShownChange(input, { file, oldText, edit, shown: run.shown });
  const newText = buildText(input, { file, oldText, change });
  const encoding = oldFile?.encoding ?? "utf-8";
  const { editorFiles } = run.workspace;
  const inEditor = { signal: run.signal, ...(editorFiles !== undefined && { editorFiles }) };
  if (!(await writeEditorText(file, newText, inEditor))) {
    await replaceFile(file, {
      bytes: encodeText({ text: newText, encoding }),
      expectedVersion: oldFile?.version,
    });
  }
  edit.ownEdits.record({ path: file.absolute, before: oldText, after: newText });
  return { result: { $case: "diff", value: buildFileDiff(file, oldText, newText) } };
}

/** The text of a file and the change to apply. */
interface TextToChange {
  readonly file: WorkspacePath;
  readonly oldText: string | undefined;
  readonly change: TextChange;
}

function buildText(input: ToolInput, { file, oldText, change }: TextToChange): string {
  const newText =
    input.new_content === undefined ? change(oldText, file) : String(input.new_content);
  checkEditSize(file, Buffer.byteLength(newText));
  return newText;
}

/** An edit that is about to be made, with the details that the person saw. */
interface ShownEdit {
  readonly file: WorkspacePath;
  readonly oldText: string | undefined;
  readonly edit: TextEdit;
  readonly shown: ConfirmationDetails;
}

/** Returns the change to apply to the current text; throws if the person did not see that change. */
function getShownChange(input: ToolInput, { file, oldText, edit, shown }: ShownEdit): TextChange {
  const { change, isPartial, ownEdits } = edit;
  if (shown?.$case !== "fileEditDetails") return change;
  const { filePath, oldContent, newContent } = shown.value;
  const isSameFile = filePath === file.absolute;
  // A file outside the workspace is not read for the question, so there is no shown text to compare.
  if (isSameFile && !file.isInside && oldContent === undefined) return change;
  if (isSameFile && oldContent === oldText) return change;
  if (!isSameFile || !ownEdits.hasMade({ path: filePath, before: oldContent, after: oldText })) {
    throw changed(
      `${file.display} changed after the edit was shown; ${NOTHING_WRITTEN}, so read the file again`,
    );
  }
  const byUs = `${file.display} was changed by an earlier call of this step`;
  // A change is applied to the new text only if it is partial and the person saw exactly this change.
  const canReapply = isPartial && input.new_content === undefined;
  if (!canReapply || change(oldContent, file) !== newContent) {
    throw changed(`${byUs} after the edit was shown; ${NOTHING_WRITTEN}, so try again`);
  }
  return (text) => {
    try {
      return change(text, file);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      throw changed(`${byUs}, and the edit no longer fits; ${NOTHING_WRITTEN}: ${error.message}`);
    }
  };
}

const NOTHING_WRITTEN = "nothing was written";

function changed(message: string): ToolError {
  return new ToolError("file_changed", message);
}
