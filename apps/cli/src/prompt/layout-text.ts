import { showControl } from "@dt/schema";
import { graphemesOf, textWidth } from "../text/text-width.js";
import type { EditText } from "./edit-text.js";

/** A text that is being written, as rows of a screen. */
export interface TextLayout {
  readonly rows: readonly TextRow[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
  /** Where in the text of its row the letter under the cursor begins. */
  readonly cursorIndex: number;
}

/** One row: what it shows, and the place in the text where it begins. */
export interface TextRow {
  readonly text: string;
  readonly start: number;
  /** The columns at which its letters begin, and the place of each in the text. */
  readonly stops: readonly Stop[];
}

interface Stop {
  readonly column: number;
  readonly place: number;
  /** The same in what the row shows. */
  readonly index: number;
}

/** Breaks a text into rows, within words where need be, so that no letter is ever out of sight. Pure. */
export function layoutText({ text, cursor }: EditText, width: number): TextLayout {
  const rows: TextRow[] = [];
  let cursorRow = 0;
  let cursorColumn = 0;
  let cursorIndex = 0;
  let place = 0;
  for (const logical of text.split("\n")) {
    for (const row of rowsOf(logical, place, width)) {
      const stop = row.stops.find((each) => each.place === cursor);
      if (stop !== undefined) {
        cursorRow = rows.length;
        cursorColumn = stop.column;
        cursorIndex = stop.index;
      }
      rows.push(row);
    }
    place += logical.length + 1;
  }
  return { rows, cursorRow, cursorColumn, cursorIndex };
}

/** The place in the text a row above or below the cursor's; undefined where there is none. */
export function placeInRow(layout: TextLayout, step: -1 | 1): number | undefined {
  const row = layout.rows[layout.cursorRow + step];
  if (row === undefined) return undefined;
  return row.stops.findLast(({ column }) => column <= layout.cursorColumn)?.place ?? row.start;
}

function rowsOf(logical: string, start: number, width: number): TextRow[] {
  const rows: TextRow[] = [];
  let shown = "";
  let column = 0;
  let place = start;
  let rowStart = start;
  let stops: Stop[] = [];

  function endRow(): void {
    rows.push({ text: shown, start: rowStart, stops });
    shown = "";
    column = 0;
    rowStart = place;
    stops = [];
  }

  for (const grapheme of graphemesOf(logical)) {
    const sign = showControl(grapheme).replace("\t", "    ");
    const taken = textWidth(sign);
    if (column + taken > width && column > 0) endRow();
    stops.push({ column, place, index: shown.length });
    shown += sign;
    column += taken;
    place += grapheme.length;
  }
  // The cursor behind the last letter needs a column too.
  if (column >= width) endRow();
  stops.push({ column, place, index: shown.length });
  endRow();
  return rows;
}
