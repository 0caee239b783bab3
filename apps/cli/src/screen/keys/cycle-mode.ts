/** The modes in the order in which Shift-Tab goes through them: the freest comes last. */
const modes: readonly string[] = ["default", "auto-edit", "plan", "yolo"];

/** The mode after another one; after the last, or one that is not known, the first. Pure. */
export function nextMode(mode: string): string {
  return modes[modes.indexOf(mode) + 1] ?? "default";
}
