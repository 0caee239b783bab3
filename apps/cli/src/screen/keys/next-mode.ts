/** The modes in the order in which Shift-Tab chooses them. The mode that allows most comes last. */
const MODES: readonly string[] = ["default", "auto-edit", "plan", "yolo"];

/** Returns the mode after `mode`; returns the first mode if `mode` is the last or unknown. Pure. */
export function nextMode(mode: string): string {
  return MODES[MODES.indexOf(mode) + 1] ?? "default";
}
