import { renderToString } from "ink";
import type { ReactNode } from "react";
import { countRows, eraseRows, firstRows, linesOf } from "./drawn-region.js";
import { currentTerminalSize, type TerminalSize, terminalSize } from "./terminal-size.js";

/**
 * Draws what Ink lays out, each time in one write, and knows what is on the screen: so it can be drawn
 * over, after a resize too, and taken away whole.
 */
export interface InkCanvas {
  /**
   * Draws over what was drawn last; starts where the cursor is, if nothing is drawn. What is `printed`
   * comes before it and stays. Draws nothing, and gives false, if the terminal no longer has the size
   * that it was laid out for.
   */
  draw(picture: Picture): boolean;
  /** Takes away what is drawn, and leaves the cursor where it began. */
  erase(): void;
  /** Lets the next picture be drawn though it may be the same: the terminal shows something else. */
  invalidate(): void;
  /** Takes the screen for empty, since someone else has cleared it. */
  forget(): void;
}

/** What is drawn. */
export interface Picture {
  /** The size that it is laid out for. */
  readonly size: TerminalSize;
  readonly frame: ReactNode;
  readonly printed?: ReactNode;
}

const hideCursor = "\x1b[?25l";
const showCursor = "\x1b[?25h";
/** What is between them is shown at once. */
const [updateBegins, updateEnds] = ["\x1b[?2026h", "\x1b[?2026l"];

/** A canvas on a terminal. */
export function createInkCanvas(stdout: NodeJS.WriteStream): InkCanvas {
  let drawn = "";
  let isValid = false;
  /** Lines that scrolled off a window that became too low for them: they are back when it grows. */
  let lost: readonly string[] = [];

  /** What erases all that is drawn, at the size that the terminal has now. */
  function erased(columns: number): string {
    const all = [...lost, ...linesOf(drawn)];
    const count = countRows(all, columns);
    lost = firstRows(all, columns, count - (terminalSize(stdout).rows - 1));
    return eraseRows(count);
  }

  function laidOut(node: ReactNode, columns: number): string {
    const text = renderToString(node, { columns });
    return text === "" ? "" : `${text}\n`;
  }

  return {
    draw({ size: { columns, rows }, frame, printed }) {
      const before = printed === undefined ? "" : laidOut(printed, columns);
      const next = laidOut(frame, columns);
      // Asked last, and of the system: all of the above takes its time.
      const current = currentTerminalSize(stdout);
      if (current.columns !== columns || current.rows !== rows) return false;
      if (isValid && before === "" && next === drawn) return true;
      stdout.write(updateBegins + hideCursor + erased(columns) + before + next + updateEnds);
      // What is printed now stands between them and the frame.
      if (before !== "") lost = [];
      drawn = next;
      isValid = true;
      return true;
    },
    erase() {
      stdout.write(erased(currentTerminalSize(stdout).columns) + showCursor);
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
