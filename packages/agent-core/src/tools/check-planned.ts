import { ToolError } from "../errors/tool-error.js";
import type { WorkspacePath } from "../workspace/workspace.js";
import type { Action } from "./action.js";
import type { ToolRun } from "./tool.js";

/**
 * Refuses a file that is not the one that was permitted: a link on the way to it may have been made or
 * changed since. Refuses all where nobody knows any more what was permitted.
 */
export function checkPlanned(
  type: "read" | "edit",
  file: WorkspacePath,
  run: Pick<ToolRun, "planned">,
): void {
  const isPlanned = (action: Action) => action.type === type && action.path === file.absolute;
  if (getPlanned(run).some(isPlanned)) return;
  // Not even the place that it leads to is told: nobody was asked about that one.
  throw new ToolError(
    "file_changed",
    "the path now leads through a link to a place that nobody permitted; nothing was done",
  );
}

/** What was permitted; throws {@link ToolError} where that is lost. */
export function getPlanned({ planned }: Pick<ToolRun, "planned">): readonly Action[] {
  if (planned !== undefined) return planned;
  throw new ToolError(
    "approval_lost",
    "the approval was given in another process, and what it was for is lost; nothing was done: ask again",
  );
}
