/** Heading of the remembered facts; the rest of the file belongs to the person. */
export const MEMORY_HEADING = "## Remembered";

/**
 * Builds the text to append to a memory file for one more fact. The heading is repeated if another
 * heading follows ours. Pure.
 */
export function buildMemoryAddition(text: string, fact: string): string {
  const lastHeading = text
    .match(/^#{1,6} .*$/gm)
    ?.at(-1)
    ?.trim();
  const lineEnd = text === "" || text.endsWith("\n") ? "" : "\n";
  if (lastHeading === MEMORY_HEADING) return `${lineEnd}- ${fact}\n`;
  const space = text === "" ? "" : `${lineEnd}\n`;
  return `${space}${MEMORY_HEADING}\n\n- ${fact}\n`;
}
