import { ToolError } from "../errors/tool-error.js";
import type { WorkspacePath } from "../workspace/workspace.js";
import type { Action } from "./action.js";
import type { ToolRun } from "./tool.js";

/**
 * Refuses a file that is not the one that was permitted: a link on the way to it may have been made or
 * changed since.
 */
export function checkPlanned(
  type: "read" | "edit",
  file: WorkspacePath,
  { planned }: Pick<ToolRun, "planned">,
): void {
  const isPlanned = (action: Action) => action.type === type && action.path === file.absolute;
  if (planned === undefined || planned.some(isPlanned)) return;
  throw new ToolError(
    "file_changed",
    `the path now leads through a link to ${file.display}, which nobody permitted; nothing was done`,
  );
}
