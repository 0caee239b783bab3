import type { Workspace } from "../workspace/workspace.js";
import type { Action } from "./action.js";
import type { Plan, Preview, Tool, ToolInput } from "./tool.js";

/** A planned call that the policy has not denied. */
export interface PlannedCall {
  readonly input: ToolInput;
  readonly plan: Plan;
  readonly workspace: Workspace;
  /** Whether it may run without a question. */
  readonly isAllowed: boolean;
}

/**
 * What is shown of a call. Its files are read for this only if it is allowed, or if all of them lie
 * inside the workspace: nothing about another file is told before someone has permitted it.
 */
export async function findPreview(
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
