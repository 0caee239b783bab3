import type { PermissionMode } from "@dt/schema";

/** The modes, the strictest first. */
const byFreedom: readonly PermissionMode[] = ["plan", "default", "auto-edit", "yolo"];

/** Whether a mode asks or refuses less than another. */
export function isFreerMode(mode: PermissionMode, than: PermissionMode): boolean {
  return byFreedom.indexOf(mode) > byFreedom.indexOf(than);
}

/** The stricter of two modes. */
export function stricterMode(one: PermissionMode, other: PermissionMode): PermissionMode {
  return isFreerMode(one, other) ? other : one;
}
