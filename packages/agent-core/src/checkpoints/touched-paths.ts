import type { Action } from "../tools/action.js";
import type { ConfirmationDetails } from "../tools/tool.js";

/** A call that is about to run. */
export interface PermittedCall {
  /** What was planned; undefined where the plan is lost, as after a restart. */
  readonly planned: readonly Action[] | undefined;
  /** What the person saw when they approved. */
  readonly shown: ConfirmationDetails;
}

/** The files that a call will change: what must be saved before it runs. Pure. */
export function touchedPaths({ planned, shown }: PermittedCall): readonly string[] {
  if (planned === undefined) {
    return shown?.$case === "fileEditDetails" ? [shown.value.filePath] : [];
  }
  return planned.flatMap((action) => (action.type === "edit" ? [action.path] : []));
}
