import type { ConfirmationDetails } from "../tools/tool.js";
import { buildFileDiff } from "../workspace/text/file-diff.js";
import { decodeText } from "../workspace/text/text-encoding.js";
import type { WorkspacePath } from "../workspace/workspace.js";
import type { FileChange, RestorePlan } from "./checkpoint.js";

/** A plan whose files were found in a workspace. */
export interface PlacedPlan extends Omit<RestorePlan, "changes"> {
  readonly changes: readonly PlacedChange[];
}

/** A change, and how its file is seen from the workspace. */
export interface PlacedChange extends FileChange, Omit<WorkspacePath, "absolute"> {}

/** The files that a restore is about. */
export interface RestoreTitle {
  readonly turn: number;
  readonly changes: readonly { readonly display: string }[];
}

/** One line for the person. */
export function restoreTitle({ turn, changes }: RestoreTitle): string {
  const files = changes.length === 1 ? changes[0]?.display : `${changes.length} files`;
  return `Restore ${files} to before turn ${turn}`;
}

const verbs = { create: "create", write: "change back", delete: "delete" } as const;

/** Every file, one a line, and those that stay as they are. */
export function describeRestore(plan: PlacedPlan): string {
  return [
    `${restoreTitle(plan)}:`,
    ...plan.changes.map(({ type, display }) => `  ${verbs[type]} ${display}`),
    ...plan.skipped.map(({ reason }) => `  not put back: ${reason}`),
  ].join("\n");
}

/** What the question shows: the change itself where it is one text, else the list of files. */
export function restoreDetails(plan: PlacedPlan): ConfirmationDetails {
  const [change, ...others] = plan.changes;
  const isAlone = others.length === 0 && plan.skipped.length === 0;
  const diff = isAlone && change !== undefined ? findTextDiff(change) : undefined;
  if (diff !== undefined) return { $case: "fileEditDetails", value: diff };
  return { $case: "genericDetails", value: { description: describeRestore(plan) } };
}

// A diff cannot say that a file goes away, nor that only its mode changes.
function findTextDiff({ path, display, before, after }: PlacedChange) {
  if (after === undefined || before?.equals(after)) return undefined;
  const newText = decodeText(after);
  const oldText = before === undefined ? undefined : decodeText(before);
  if (newText === undefined || (before !== undefined && oldText === undefined)) return undefined;
  return buildFileDiff({ absolute: path, display }, oldText?.text, newText.text);
}
