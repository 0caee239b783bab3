import type { ConfirmationDetails } from "../tools/tool.js";
import { buildFileDiff } from "../workspace/text/file-diff.js";
import { decodeText } from "../workspace/text/text-encoding.js";
import type { WorkspacePath } from "../workspace/workspace.js";
import type { FileChange, RestorePlan } from "./checkpoint.js";

/** A restore plan with a display path for each file. */
export interface ResolvedPlan extends Omit<RestorePlan, "changes"> {
  readonly changes: readonly ResolvedChange[];
}

/** A change with the display path of its file, and whether the file is inside the workspace. */
export interface ResolvedChange extends FileChange, Omit<WorkspacePath, "absolute"> {}

/** Turn and files of a restore. */
export interface RestoreScope {
  readonly turn: number;
  readonly changes: readonly { readonly display: string }[];
}

/** Describes a restore in one line. */
export function buildRestoreTitle({ turn, changes }: RestoreScope): string {
  const files = changes.length === 1 ? changes[0]?.display : `${changes.length} files`;
  return `Restore ${files} to before turn ${turn}`;
}

const VERBS = { create: "create", write: "change back", delete: "delete" } as const;

/** Lists the files that change, and those that cannot be restored. */
export function describeRestore(plan: ResolvedPlan): string {
  return [
    `${buildRestoreTitle(plan)}:`,
    ...plan.changes.map(({ type, display }) => `  ${VERBS[type]} ${display}`),
    ...plan.skipped.map(({ reason }) => `  not restored: ${reason}`),
  ].join("\n");
}

/** Returns the details of the question: the diff of a single text file, else the list of files. */
export function buildRestoreDetails(plan: ResolvedPlan): ConfirmationDetails {
  const [change, ...others] = plan.changes;
  const isSingleChange = others.length === 0 && plan.skipped.length === 0;
  const diff = isSingleChange && change !== undefined ? findTextDiff(change) : undefined;
  if (diff !== undefined) return { $case: "fileEditDetails", value: diff };
  return { $case: "genericDetails", value: { description: describeRestore(plan) } };
}

// Returns the diff of a changed text file; undefined for other changes, because a diff cannot show that a
// file is deleted, or that only its mode changes.
function findTextDiff({ path, display, before, after }: ResolvedChange) {
  if (after === undefined || before?.equals(after)) return undefined;
  const newText = decodeText(after);
  const oldText = before === undefined ? undefined : decodeText(before);
  if (newText === undefined || (before !== undefined && oldText === undefined)) return undefined;
  return buildFileDiff({ absolute: path, display }, oldText?.text, newText.text);
}
