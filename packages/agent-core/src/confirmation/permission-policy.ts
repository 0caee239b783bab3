import type { PermissionMode } from "@dt/schema";
import type { Action } from "../tools/action.js";

/** The decision of the policy about a call. */
export type Decision =
  | { readonly type: "allow" }
  | { readonly type: "ask" }
  | { readonly type: "deny"; readonly reason: string };

/** Input of {@link decide}. */
export interface PolicyInput {
  readonly mode: PermissionMode;
  readonly actions: readonly Action[];
  /** Returns true if an earlier "always" allows an action. */
  isRemembered(action: Action): boolean;
}

/** Decides whether a call runs, asks, or is refused. Pure. */
export function decide({ mode, actions, isRemembered }: PolicyInput): Decision {
  if (mode === "yolo") return { type: "allow" };
  if (mode === "plan" && actions.some((action) => action.type !== "read")) {
    return { type: "deny", reason: PLAN_REASON };
  }
  const isFree = (action: Action) => isAllowed(action, mode) || isRemembered(action);
  return actions.every(isFree) ? { type: "allow" } : { type: "ask" };
}

const PLAN_REASON =
  "in plan mode only reading is allowed: describe this step in the plan; it can be done once the person has left plan mode";

function isAllowed(action: Action, mode: PermissionMode): boolean {
  if (action.type === "read") return action.isInside;
  if (action.type !== "edit" || action.isProtected === true) return false;
  return action.isInside && mode === "auto-edit";
}
