/** The modes in the order of Shift-Tab; the freest comes last. */
const MODES: readonly string[] = ["default", "auto-edit", "plan", "yolo"];

/** Returns the mode after another one; the first after the last or an unknown one. Pure. */
export function nextMode(mode: string): string {
  return MODES[MODES.indexOf(mode) + 1] ?? "default";
}
