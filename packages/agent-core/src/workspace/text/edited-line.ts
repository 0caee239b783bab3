/** A line of text that can be overwritten. */
export interface EditedLine {
  length(): number;
  text(): string;
  /** Overwrites the text from a column on. If the line ends before the column, spaces fill the gap. */
  put(text: string, column: number): void;
  /** Replaces everything before a column with spaces. */
  blank(column: number): void;
  /** Removes everything from a column on. */
  cut(column: number): void;
}

/**
 * Creates an empty line. The line is stored as a string until it is overwritten for the first time.
 * Then it is stored as a list of characters, so that the cost of a change does not depend on the
 * length of the line.
 */
export function createEditedLine(): EditedLine {
  let appended = "";
  let cells: string[] | undefined;
  /** Number of leading cells that are known to be spaces. */
  let blanks = 0;
  const length = () => cells?.length ?? appended.length;

  function overwrite(text: string, column: number): void {
    cells ??= appended.split("");
    while (cells.length < column) cells.push(" ");
    blanks = Math.min(blanks, column);
    for (let index = 0; index < text.length; index += 1) cells[column + index] = text.charAt(index);
  }

  return {
    length,
    text: () => cells?.join("") ?? appended,
    put(text, column) {
      if (cells === undefined && column === appended.length) appended += text;
      else overwrite(text, column);
    },
    blank(column) {
      const known = blanks;
      overwrite("", column);
      if (column > known) cells?.fill(" ", known, column);
      blanks = Math.max(known, column);
    },
    cut(column) {
      if (column >= length()) return;
      blanks = Math.min(blanks, column);
      if (column > 0 && cells !== undefined) cells.length = column;
      else {
        appended = appended.slice(0, column);
        cells = undefined;
      }
    },
  };
}
