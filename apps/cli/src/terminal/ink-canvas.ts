import { renderToString } from "ink";
import type { ReactNode } from "react";
import { countRows, eraseRows, firstRows, linesOf } from "./drawn-region.js";
import { currentTerminalSize, type TerminalSize, terminalSize } from "./terminal-size.js";

/**
 * Draws the layout of Ink, with one write per draw. The canvas remembers the last picture, so that the next
 * draw can replace that picture, even after a resize.
 */
export interface InkCanvas {
  /**
   * Replaces the last picture; the first picture starts at the cursor. `printed` is drawn above the picture
   * and stays. If the terminal no longer has the size in `picture.size`, nothing is drawn and the result is
   * false.
   */
  draw(picture: Picture): boolean;
  /** Removes the picture and moves the cursor to its first row. */
  erase(): void;
  /**
   * Makes the next draw write the picture even if it has not changed, because the terminal may show
   * something else.
   */
  invalidate(): void;
  /** Forgets the last picture, because the caller has cleared the screen. */
  forget(): void;
}

/** The content of one draw. */
export interface Picture {
  /** Size of the terminal for which the content was laid out. */
  readonly size: TerminalSize;
  readonly frame: ReactNode;
  readonly printed?: ReactNode;
}

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
/** Synchronized update: the terminal shows everything between these two sequences at once. */
const [BEGIN_UPDATE, END_UPDATE] = ["\x1b[?2026h", "\x1b[?2026l"];

/** Creates a canvas on a terminal. */
export function createInkCanvas(stdout: NodeJS.WriteStream): InkCanvas {
  let drawn = "";
  let isValid = false;
  /** Lines that scrolled away when the window lost rows. They return when the window grows. */
  let lost: readonly string[] = [];

  /** Creates the sequence that erases the picture at the current size of the terminal. */
  function eraseSequence(columns: number): string {
    const all = [...lost, ...linesOf(drawn)];
    const count = countRows(all, columns);
    lost = firstRows(all, columns, count - (terminalSize(stdout).rows - 1));
    return eraseRows(count);
  }

  function layOut(node: ReactNode, columns: number): string {
    const text = renderToString(node, { columns });
    return text === "" ? "" : `${text}\n`;
  }

  return {
    draw({ size: { columns, rows }, frame, printed }) {
      const before = printed === undefined ? "" : layOut(printed, columns);
      const next = layOut(frame, columns);
      // The size is read as late as possible, because it may have changed during the layout.
      const current = currentTerminalSize(stdout);
      if (current.columns !== columns || current.rows !== rows) return false;
      if (isValid && before === "" && next === drawn) return true;
      stdout.write(
        BEGIN_UPDATE + HIDE_CURSOR + eraseSequence(columns) + before + next + END_UPDATE,
      );
      // The lost lines are now above lines that stay printed, so no later draw can erase them.
      if (before !== "") lost = [];
      drawn = next;
      isValid = true;
      return true;
    },
    erase() {
      stdout.write(eraseSequence(currentTerminalSize(stdout).columns) + SHOW_CURSOR);
      drawn = "";
    },
    invalidate() {
      isValid = false;
    },
    forget() {
      drawn = "";
      lost = [];
    },
  };
}
