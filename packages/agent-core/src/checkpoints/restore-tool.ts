import type { ToolOutput } from "@dt/schema";
import { ToolError } from "../errors/tool-error.js";
import { editAction } from "../tools/action.js";
import { checkPlanned } from "../tools/check-planned.js";
import type { ConfirmationDetails, Tool, ToolInput, ToolRun } from "../tools/tool.js";
import type { Workspace, WorkspacePath } from "../workspace/workspace.js";
import type { CheckpointSource, RestorePlan } from "./checkpoint.js";
import {
  buildRestoreDetails,
  buildRestoreTitle,
  describeRestore,
  type ResolvedPlan,
} from "./describe-restore.js";

/** Options of {@link createRestoreTool}. */
export interface RestoreToolOptions {
  readonly checkpoints: CheckpointSource;
  /** Returns the number of the running turn. */
  currentTurn(): number;
}

/** Name of the tool that `/restore` calls. */
export const RESTORE_TOOL_NAME = "restore_checkpoint";

/** The fields of the tool that are the same in every session. */
const DECLARATION = {
  name: RESTORE_TOOL_NAME,
  description: "Restores edited files to their content before a given turn.",
  // Hidden from the model, because only a person may restore files, with /restore.
  isInternal: true,
  isReadOnly: false,
  parameters: {
    type: "object",
    properties: {
      turn: {
        type: "integer",
        minimum: 1,
        description: "Number of the first turn to undo. All later turns are undone too.",
      },
    },
    required: ["turn"],
    additionalProperties: false,
  },
} satisfies Partial<Tool>;

/** Creates the tool that restores files to their state before a turn. */
export function createRestoreTool({ checkpoints, currentTurn }: RestoreToolOptions): Tool {
  async function planRestore(input: ToolInput, run: RestoreContext): Promise<ResolvedPlan> {
    const plan = await (await checkpoints()).plan(Number(input.turn));
    if (plan.changes.length > 0) return await resolveChanges(plan, run);
    const [firstSkipped] = plan.skipped;
    const note = firstSkipped === undefined ? "" : `; not restored: ${firstSkipped.reason}`;
    throw new ToolError(
      "nothing_to_restore",
      `there is nothing to restore: no saved file differs from its state before turn ${plan.turn}${note}`,
    );
  }

  return {
    ...DECLARATION,

    async plan(input, workspace) {
      const turn = Number(input.turn);
      const paths = (await checkpoints()).filesSince(turn);
      const files = await Promise.all(paths.map((file) => resolveSaved(file, workspace)));
      return {
        description: buildRestoreTitle({ turn, changes: files }),
        actions: [
          ...files.map(editAction),
          // This action makes the policy ask even in auto-edit mode, which allows edits without a question.
          { type: "other", name: RESTORE_TOOL_NAME, target: `turn ${turn}` },
        ],
        details: { $case: "genericDetails", value: { description: describeUnread(turn, files) } },
      };
    },

    async preview(input, context) {
      const resolved = await planRestore(input, context);
      return { description: buildRestoreTitle(resolved), details: buildRestoreDetails(resolved) };
    },

    async run(input, run) {
      const resolved = await planRestore(input, run);
      checkUnchanged(resolved, run);
      const saved = await checkpoints();
      const { failed } = await saved.restore(resolved.turn, { during: currentTurn() });
      if (failed.length === 0) return outputOf(resolved);
      const reasons = failed.map(({ reason }) => reason).join("; ");
      const done = resolved.changes.length - failed.length;
      throw new ToolError("restore_incomplete", `${done} files were restored, but ${reasons}`);
    },
  };
}

type RestoreContext = Pick<ToolRun, "workspace" | "planned">;

async function resolveChanges(
  { turn, changes, skipped }: RestorePlan,
  context: RestoreContext,
): Promise<ResolvedPlan> {
  const resolved = changes.map(async (change) => {
    const { absolute, ...file } = await resolveSaved(change.path, context.workspace);
    checkPlanned("edit", { absolute, ...file }, context);
    return { ...change, ...file };
  });
  return { turn, changes: await Promise.all(resolved), skipped };
}

/**
 * Resolves a saved path again and throws if the result differs. Saved paths contain no symbolic links, so
 * a difference means that a link was added later.
 */
async function resolveSaved(file: string, workspace: Workspace): Promise<WorkspacePath> {
  const resolved = await workspace.resolve(file);
  if (resolved.absolute === file) return resolved;
  throw new ToolError(
    "file_changed",
    `${file} now resolves through a symbolic link, so nothing was restored; remove the link and run /restore again`,
  );
}

function describeUnread(turn: number, files: readonly WorkspacePath[]): string {
  return [
    `${buildRestoreTitle({ turn, changes: files })} (dt reads files outside the workspace only after you allow this):`,
    ...files.map(({ display }) => `  ${display}`),
  ].join("\n");
}

/**
 * Throws if files changed after the question showed them. Does nothing if there was no question, or if the
 * question showed only paths because a file is outside the workspace.
 */
function checkUnchanged(resolved: ResolvedPlan, { shown, planned = [] }: ToolRun): void {
  const isUnread = planned.some((action) => action.type === "edit" && !action.isInside);
  if (shown === undefined || isUnread || isSame(shown, buildRestoreDetails(resolved))) return;
  throw new ToolError(
    "file_changed",
    "files changed after the restore was shown, so nothing was restored; run /restore again",
  );
}

function isSame(shown: ConfirmationDetails, now: ConfirmationDetails): boolean {
  if (shown?.$case === "genericDetails" && now?.$case === "genericDetails") {
    return shown.value.description === now.value.description;
  }
  if (shown?.$case !== "fileEditDetails" || now?.$case !== "fileEditDetails") return false;
  const { filePath, oldContent, newContent } = now.value;
  return (
    shown.value.filePath === filePath &&
    shown.value.oldContent === oldContent &&
    shown.value.newContent === newContent
  );
}

function outputOf(resolved: ResolvedPlan): ToolOutput {
  return { result: { $case: "text", value: describeRestore(resolved) } };
}
