import type { Workspace } from "../workspace/workspace.js";
import type { Action } from "./action.js";
import type { Plan, Preview, Tool, ToolInput } from "./tool.js";

/** A planned call that the policy has not denied. */
export interface PlannedCall {
  readonly input: ToolInput;
  readonly plan: Plan;
  readonly workspace: Workspace;
  /** True if the call may run without a question. */
  readonly isAllowed: boolean;
}

/**
 * Returns the preview of a call. The call's files are read only if the call is allowed, or if all of its
 * files are inside the workspace. Without permission, nothing about other files may be shown.
 */
export async function buildPreview(
  tool: Tool,
  { input, plan, workspace, isAllowed }: PlannedCall,
): Promise<Preview> {
  if (tool.preview === undefined) return plan;
  if (!isAllowed && !plan.actions.every(isReadable)) return plan;
  return await tool.preview(input, { workspace, planned: plan.actions });
}

function isReadable(action: Action): boolean {
  return action.type === "read" || action.type === "edit" ? action.isInside : true;
}
