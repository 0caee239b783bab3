import { showControl } from "@dt/schema";
import { graphemesOf, textWidth } from "../text/text-width.js";
import type { EditText } from "./edit-text.js";

/** An edited text as rows of a screen. */
export interface TextLayout {
  readonly rows: readonly TextRow[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
  /** Index of the cursor in the text of its row. */
  readonly cursorIndex: number;
}

/** One row of the layout. */
export interface TextRow {
  /** The text that the row shows, with control characters escaped. */
  readonly text: string;
  /** Offset in the edited text at which the row begins. */
  readonly start: number;
  /** Positions that the cursor can have in the row. */
  readonly stops: readonly Stop[];
}

interface Stop {
  readonly column: number;
  /** Offset in the edited text. */
  readonly offset: number;
  /** Index in the text of the row. */
  readonly index: number;
}

/** Breaks a text into rows, also inside words, so that every character is visible. Pure. */
export function layoutText({ text, cursor }: EditText, width: number): TextLayout {
  const rows: TextRow[] = [];
  let cursorRow = 0;
  let cursorColumn = 0;
  let cursorIndex = 0;
  let offset = 0;
  for (const logical of text.split("\n")) {
    for (const row of rowsOf(logical, offset, width)) {
      const stop = row.stops.find((each) => each.offset === cursor);
      if (stop !== undefined) {
        cursorRow = rows.length;
        cursorColumn = stop.column;
        cursorIndex = stop.index;
      }
      rows.push(row);
    }
    offset += logical.length + 1;
  }
  return { rows, cursorRow, cursorColumn, cursorIndex };
}

/** Returns the offset one row above or below the cursor; undefined if there is no such row. */
export function offsetInRow(layout: TextLayout, step: -1 | 1): number | undefined {
  const row = layout.rows[layout.cursorRow + step];
  if (row === undefined) return undefined;
  return row.stops.findLast(({ column }) => column <= layout.cursorColumn)?.offset ?? row.start;
}

function rowsOf(logical: string, start: number, width: number): TextRow[] {
  const rows: TextRow[] = [];
  let shown = "";
  let column = 0;
  let offset = start;
  let rowStart = start;
  let stops: Stop[] = [];

  function endRow(): void {
    rows.push({ text: shown, start: rowStart, stops });
    shown = "";
    column = 0;
    rowStart = offset;
    stops = [];
  }

  for (const grapheme of graphemesOf(logical)) {
    const sign = showControl(grapheme).replace("\t", "    ");
    const signWidth = textWidth(sign);
    if (column + signWidth > width && column > 0) endRow();
    stops.push({ column, offset, index: shown.length });
    shown += sign;
    column += signWidth;
    offset += grapheme.length;
  }
  // The cursor needs a column after the last character, so an empty row follows a full row.
  if (column >= width) endRow();
  stops.push({ column, offset, index: shown.length });
  endRow();
  return rows;
}
