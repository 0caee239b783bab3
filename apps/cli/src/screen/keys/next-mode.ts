/** The modes in the order of Shift-Tab; the freest comes last. */
const MODES: readonly string[] = ["default", "auto-edit", "plan", "yolo"];

/** Returns the next mode; after the last or an unknown one, the first. Pure. */
export function nextMode(mode: string): string {
  return MODES[MODES.indexOf(mode) + 1] ?? "default";
}
