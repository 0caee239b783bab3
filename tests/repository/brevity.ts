/** Maximum lines of a paragraph or list item, and maximum characters of a line and of a table cell. */
const MAX_LINES = 5;
const MAX_LINE_LENGTH = 150;
const MAX_CELL_LENGTH = 200;

/** Finds the paragraphs, list items and table cells of a document that are too long. */
export function longPassagesIn(markdown: string): string[] {
  const text = markdown
    .replace(/^ *```[^\n]*\n[\s\S]*?^ *```/gm, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/\]\([^)]*\)/g, "]");
  const cells = text
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .flatMap((line) => line.split(/(?<!\\)\|/));
  const passages = text
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=#)|(?<=^#.*)\n/m)
    .filter((passage) => !passage.trimStart().startsWith("|"));
  return [...cells.filter((cell) => cell.length > MAX_CELL_LENGTH), ...passages.filter(isLong)].map(
    (passage) => passage.trim().slice(0, 60),
  );
}

function isLong(passage: string): boolean {
  const lines = passage.trim().split("\n");
  return lines.length > MAX_LINES || lines.some((line) => line.length > MAX_LINE_LENGTH);
}
