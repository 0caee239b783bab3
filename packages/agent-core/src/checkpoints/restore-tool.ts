import type { ToolOutput } from "@dt/schema";
import { ToolError } from "../errors/tool-error.js";
import { editAction } from "../tools/action.js";
import { checkPlanned } from "../tools/check-planned.js";
import type { ConfirmationDetails, Tool, ToolInput, ToolRun } from "../tools/tool.js";
import type { Workspace, WorkspacePath } from "../workspace/workspace.js";
import type { Checkpoints, RestorePlan } from "./checkpoint.js";
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
  async function planPlaced(input: ToolInput, run: Look): Promise<PlacedPlan> {
    const plan = await checkpoints.plan(Number(input.turn));
    if (plan.changes.length > 0) return await placeChanges(plan, run);
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
      const turn = Number(input.turn);
      const paths = checkpoints.filesSince(turn);
      const places = await Promise.all(paths.map((file) => placeOf(file, workspace)));
      return {
        description: restoreTitle({ turn, changes: places }),
        actions: [
          ...places.map(editAction),
          // Asks even where edits do not.
          { type: "other", name: restoreToolName, target: `turn ${turn}` },
        ],
        details: { $case: "genericDetails", value: { description: describeUnread(turn, places) } },
      };
    },

    async preview(input, look) {
      const placed = await planPlaced(input, look);
      return { description: restoreTitle(placed), details: restoreDetails(placed) };
    },

    async run(input, run) {
      const placed = await planPlaced(input, run);
      checkShown(placed, run);
      const { failed } = await checkpoints.restore(placed.turn, { during: currentTurn() });
      if (failed.length === 0) return outputOf(placed);
      const reasons = failed.map(({ reason }) => reason).join("; ");
      const done = placed.changes.length - failed.length;
      throw new ToolError("restore_incomplete", `${done} files were put back, but ${reasons}`);
    },
  };
}

type Look = Pick<ToolRun, "workspace" | "planned">;

async function placeChanges(
  { turn, changes, skipped }: RestorePlan,
  look: Look,
): Promise<PlacedPlan> {
  const placed = changes.map(async (change) => {
    const { absolute, ...place } = await placeOf(change.path, look.workspace);
    checkPlanned("edit", { absolute, ...place }, look);
    return { ...change, ...place };
  });
  return { turn, changes: await Promise.all(placed), skipped };
}

/** A file of a checkpoint, whose links were resolved when it was kept. */
async function placeOf(file: string, workspace: Workspace): Promise<WorkspacePath> {
  const place = await workspace.resolve(file);
  if (place.absolute === file) return place;
  throw new ToolError("file_changed", `${file} now leads through a link; nothing was restored`);
}

function describeUnread(turn: number, places: readonly WorkspacePath[]): string {
  return [
    `${restoreTitle({ turn, changes: places })} (files outside the workspace are not read before this is allowed):`,
    ...places.map(({ display }) => `  ${display}`),
  ].join("\n");
}

function checkShown(placed: PlacedPlan, { shown, planned = [] }: ToolRun): void {
  const isUnread = planned.some((action) => action.type === "edit" && !action.isInside);
  if (shown === undefined || isUnread || isSame(shown, restoreDetails(placed))) return;
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
