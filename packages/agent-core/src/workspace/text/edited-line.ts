/** A line of text that can be overwritten. */
export interface EditedLine {
  length(): number;
  text(): string;
  /** Writes over what is there from a column on; what is missing before it becomes spaces. */
  put(text: string, column: number): void;
  /** Makes spaces of what is before a column. */
  blank(column: number): void;
  /** Drops what is behind a column. */
  cut(column: number): void;
}

/**
 * Creates an empty line. A line that is only appended to is a string. One that is overwritten becomes a
 * list of characters, so that each change costs what it changes and not the length of the line.
 */
export function createEditedLine(): EditedLine {
  let appended = "";
  let cells: string[] | undefined;
  /** So many cells at the beginning are known to be spaces. */
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
