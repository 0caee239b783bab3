import { ToolError } from "../errors/tool-error.js";
import type { WorkspacePath } from "../workspace/workspace.js";
import type { Action } from "./action.js";
import type { ToolRun } from "./tool.js";

/**
 * Throws if a call may not read or edit a file, for example because a link has changed since the
 * plan. Also throws if the permitted actions are lost.
 */
export function checkPlanned(
  type: "read" | "edit",
  file: WorkspacePath,
  run: Pick<ToolRun, "planned">,
): void {
  const isPlanned = (action: Action) => action.type === type && action.path === file.absolute;
  if (getPlanned(run).some(isPlanned)) return;
  // The message does not contain the new path, because nobody has permitted the model to see it.
  throw new ToolError(
    "file_changed",
    "the path now leads through a link to a path that nobody permitted, so nothing was done",
  );
}

/** Returns the permitted actions; throws {@link ToolError} if they are lost. */
export function getPlanned({ planned }: Pick<ToolRun, "planned">): readonly Action[] {
  if (planned !== undefined) return planned;
  throw new ToolError(
    "approval_lost",
    "the approval was given in another process and its details are lost, so nothing was done; ask again",
  );
}
