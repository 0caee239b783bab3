import type { ToolOutput } from "@dt/schema";
import { ToolError } from "../../../errors/tool-error.js";
import { replaceFile } from "../../../workspace/replace-file.js";
import { buildFileDiff } from "../../../workspace/text/file-diff.js";
import { encodeText } from "../../../workspace/text/text-encoding.js";
import { checkEditSize, findText } from "../../../workspace/text-file.js";
import type { Workspace, WorkspacePath } from "../../../workspace/workspace.js";
import { editAction } from "../../action.js";
import { checkPlanned } from "../../check-planned.js";
import type { ConfirmationDetails, Plan, Preview, Tool, ToolInput, ToolRun } from "../../tool.js";
import type { OwnEdits } from "./own-edits.js";

/** What a file's text becomes; throws {@link ToolError} where the change does not fit the file. */
export type TextChange = (oldText: string | undefined, file: WorkspacePath) => string;

/** An edit, and what it is done with. */
export interface TextEdit {
  readonly change: TextChange;
  /** Whether it changes a part and leaves the rest, so that it can follow another edit. */
  readonly isPartial: boolean;
  /** What the session has edited. */
  readonly ownEdits: OwnEdits;
  /** What the question shows of a file that nobody may look at yet. */
  describeUnread(file: WorkspacePath): ConfirmationDetails;
}

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
function reviseContent(input: ToolInput, newContent: string): ToolInput {
  return { ...input, new_content: newContent };
}

/** The steps of an edit tool: what an input asks for is planned, shown and done. */
export function createEditSteps(
  editOf: (input: ToolInput) => TextEdit,
): Pick<Tool, "plan" | "preview" | "run" | "revise"> {
  return {
    plan: (input, workspace) => planEdit(input, workspace, editOf(input)),
    preview: (input, look) => previewEdit(input, look, editOf(input)),
    run: (input, run) => runEdit(input, run, editOf(input)),
    revise: reviseContent,
  };
}

/** Says which file an edit would change, without a look at it. */
async function planEdit(input: ToolInput, workspace: Workspace, edit: TextEdit): Promise<Plan> {
  const file = await workspace.resolve(String(input.file_path));
  return {
    description: `${edit.isPartial ? "Edit" : "Write"} ${file.display}`,
    actions: [editAction(file)],
    details: edit.describeUnread(file),
  };
}

/** Looks at what an edit would do. */
async function previewEdit(
  input: ToolInput,
  look: Pick<ToolRun, "workspace" | "planned">,
  { change }: TextEdit,
): Promise<Preview> {
  const file = await look.workspace.resolve(String(input.file_path));
  checkPlanned("edit", file, look);
  const oldText = (await findText(file))?.text;
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
 * Does an edit, unless the file is no longer what the person was shown.
 *
 * Edits of one step are shown before the first of them is made: what an earlier one made of the file
 * is no obstacle to a change of a part, as long as that very change still fits.
 */
async function runEdit(input: ToolInput, run: ToolRun, edit: TextEdit): Promise<ToolOutput> {
  const file = await run.workspace.resolve(String(input.file_path));
  checkPlanned("edit", file, run);
  const oldFile = await findText(file);
  const oldText = oldFile?.text;
  const change = checkShown(input, { file, oldText, edit, shown: run.shown });
  const newText = buildText(input, { file, oldText, change });
  const encoding = oldFile?.encoding ?? "utf-8";
  await replaceFile(file, {
    bytes: encodeText({ text: newText, encoding }),
    over: oldFile?.version,
  });
  edit.ownEdits.note({ path: file.absolute, before: oldText, after: newText });
  return { result: { $case: "diff", value: buildFileDiff(file, oldText, newText) } };
}

/** A file's text, and what is to be made of it. */
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

/** An edit that is about to be done, and what the person saw of it. */
interface ShownEdit {
  readonly file: WorkspacePath;
  readonly oldText: string | undefined;
  readonly edit: TextEdit;
  readonly shown: ConfirmationDetails;
}

/** The change to make of the file as it is now; throws where that is not what was shown. */
function checkShown(input: ToolInput, { file, oldText, edit, shown }: ShownEdit): TextChange {
  const { change, isPartial, ownEdits } = edit;
  if (shown?.$case !== "fileEditDetails") return change;
  const { filePath, oldContent, newContent } = shown.value;
  const isSamePlace = filePath === file.absolute;
  // Nobody has seen what an unread file holds, so there is nothing to compare it with.
  if (isSamePlace && !file.isInside && oldContent === undefined) return change;
  if (isSamePlace && oldContent === oldText) return change;
  if (!isSamePlace || !ownEdits.hasMade({ path: filePath, before: oldContent, after: oldText })) {
    throw changed(`${file.display} changed after the edit was shown; ${unwritten}: read it again`);
  }
  const byUs = `${file.display} was changed by an earlier call of this step`;
  // Only the change that the person saw may be made anew, and only where it leaves the rest alone.
  const isShown = isPartial && input.new_content === undefined;
  if (!isShown || change(oldContent, file) !== newContent) {
    throw changed(`${byUs} after the edit was shown; ${unwritten}: try again`);
  }
  return (text) => {
    try {
      return change(text, file);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      throw changed(`${byUs}, and the edit no longer fits; ${unwritten}: ${error.message}`);
    }
  };
}

const unwritten = "nothing was written";

function changed(message: string): ToolError {
  return new ToolError("file_changed", message);
}
