import type { PermissionMode } from "@dt/schema";

/** The modes from the strictest to the freest. */
const MODES_BY_FREEDOM: readonly PermissionMode[] = ["plan", "default", "auto-edit", "yolo"];

/** Returns true if `mode` asks or refuses less than the mode `than`. */
export function isFreerMode(mode: PermissionMode, than: PermissionMode): boolean {
  return MODES_BY_FREEDOM.indexOf(mode) > MODES_BY_FREEDOM.indexOf(than);
}

/** Returns the stricter of two modes. */
export function stricterMode(one: PermissionMode, other: PermissionMode): PermissionMode {
  return isFreerMode(one, other) ? other : one;
}
