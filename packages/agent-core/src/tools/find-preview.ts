import type { Workspace } from "../workspace/workspace.js";
import type { Action } from "./action.js";
import type { Plan, Preview, Tool, ToolInput } from "./tool.js";

/** A planned call that is about to ask. */
export interface PlannedCall {
  readonly input: ToolInput;
  readonly plan: Plan;
  readonly workspace: Workspace;
}

/**
 * The question about a call. The files that it would change are read for it only if all of them lie
 * inside the workspace: nothing about another file is told before someone has permitted it.
 */
export async function findPreview(
  tool: Tool,
  { input, plan, workspace }: PlannedCall,
): Promise<Preview> {
  if (tool.preview === undefined || !plan.actions.every(isReadable)) return plan;
  return await tool.preview(input, { workspace, planned: plan.actions });
}

function isReadable(action: Action): boolean {
  return action.type === "read" || action.type === "edit" ? action.isInside : true;
}
