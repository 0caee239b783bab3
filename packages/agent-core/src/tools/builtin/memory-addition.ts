/** Heading above the remembered facts. The person writes the rest of the file. */
export const MEMORY_HEADING = "## Remembered";

/**
 * Builds the text that adds one fact at the end of a memory file. It contains
 * {@link MEMORY_HEADING}, unless that is already the last heading of the file. Pure.
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
