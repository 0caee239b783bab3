import type { ToolOutput } from "@dt/schema";
import { ToolError } from "../errors/tool-error.js";
import { checkPlanned } from "../tools/check-planned.js";
import type { ConfirmationDetails, Tool, ToolInput } from "../tools/tool.js";
import type { Workspace } from "../workspace/workspace.js";
import type { Checkpoints } from "./checkpoint.js";
import {
  describeRestore,
  type PlacedPlan,
  restoreDetails,
  restoreTitle,
} from "./describe-restore.js";

/** What the tool works on. */
export interface RestoreToolOptions {
  readonly checkpoints: Checkpoints;
  /** The number of the turn that runs. */
  currentTurn(): number;
}

/** The name by which `/restore` knows it. */
export const restoreToolName = "restore_checkpoint";

/** Puts files back to what they were before a turn. */
export function createRestoreTool({ checkpoints, currentTurn }: RestoreToolOptions): Tool {
  async function planPlaced(input: ToolInput, workspace: Workspace): Promise<PlacedPlan> {
    const plan = await checkpoints.plan(Number(input.turn));
    if (plan.changes.length > 0) return await place(plan, workspace);
    const [left] = plan.skipped;
    const note = left === undefined ? "" : `; not put back: ${left.reason}`;
    throw new ToolError(
      "nothing_to_restore",
      `there is nothing to restore: all files that were kept are as they were before turn ${plan.turn}${note}`,
    );
  }

  return {
    name: restoreToolName,
    description: "Puts the files that turns have edited back to what they were before a turn.",
    // To undo is the person's to ask for, by /restore.
    isInternal: true,
    isReadOnly: false,
    parameters: {
      type: "object",
      properties: {
        turn: {
          type: "integer",
          minimum: 1,
          description: "The number of the first turn whose edits are undone, with all after it.",
        },
      },
      required: ["turn"],
      additionalProperties: false,
    },

    async plan(input, workspace) {
      const placed = await planPlaced(input, workspace);
      return {
        description: restoreTitle(placed),
        actions: [
          ...placed.changes.map(({ path, isInside }) => ({
            type: "edit" as const,
            path,
            isInside,
          })),
          // Asks even where edits do not.
          { type: "other", name: restoreToolName, target: `turn ${placed.turn}` },
        ],
        details: restoreDetails(placed),
      };
    },

    async run(input, run) {
      const placed = await planPlaced(input, run.workspace);
      for (const { path, display, isInside } of placed.changes) {
        checkPlanned("edit", { absolute: path, display, isInside }, run);
      }
      checkShown(placed, run.shown);
      const { failed } = await checkpoints.restore(placed.turn, { during: currentTurn() });
      if (failed.length === 0) return outputOf(placed);
      const reasons = failed.map(({ reason }) => reason).join("; ");
      const done = placed.changes.length - failed.length;
      throw new ToolError("restore_incomplete", `${done} files were put back, but ${reasons}`);
    },
  };
}

async function place(
  { turn, changes, skipped }: Awaited<ReturnType<Checkpoints["plan"]>>,
  workspace: Workspace,
): Promise<PlacedPlan> {
  const placed = changes.map(async (change) => {
    const { absolute, display, isInside } = await workspace.resolve(change.path);
    if (absolute === change.path) return { ...change, display, isInside };
    throw new ToolError(
      "file_changed",
      `${change.path} now leads through a link to ${display}; nothing was restored`,
    );
  });
  return { turn, changes: await Promise.all(placed), skipped };
}

function checkShown(placed: PlacedPlan, shown: ConfirmationDetails): void {
  if (shown === undefined || isSame(shown, restoreDetails(placed))) return;
  throw new ToolError(
    "file_changed",
    "files changed after the restore was shown; nothing was restored: look at it again",
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

function outputOf(placed: PlacedPlan): ToolOutput {
  return { result: { $case: "text", value: describeRestore(placed) } };
}
