/** The heading under which facts are kept; what people write elsewhere in the file is theirs. */
export const memoryHeading = "## Remembered";

/**
 * What to append to a memory file so that it holds one more fact: under our heading, which comes again
 * where another one has followed it. Pure.
 */
export function buildMemoryAddition(text: string, fact: string): string {
  const lastHeading = text
    .match(/^#{1,6} .*$/gm)
    ?.at(-1)
    ?.trim();
  const lineEnd = text === "" || text.endsWith("\n") ? "" : "\n";
  if (lastHeading === memoryHeading) return `${lineEnd}- ${fact}\n`;
  const space = text === "" ? "" : `${lineEnd}\n`;
  return `${space}${memoryHeading}\n\n- ${fact}\n`;
}
