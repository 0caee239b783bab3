import { showControl } from "@dt/schema";
import { pieceLines } from "../text/piece-lines.js";
import { type Line, line, span } from "../text/span.js";
import { wrapLine } from "../text/wrap-line.js";
import type { Entry } from "./advance-transcript.js";
import { AGENT_SIGN, type ItemOptions, itemLines, withSign } from "./item-lines.js";

const INDENT: Line = [span("  ")];

/** Lays a settled entry out as lines of a screen, with a blank line before prompts, texts and calls. */
export function entryLines(entry: Entry, options: ItemOptions): readonly Line[] {
  const { width } = options;
  switch (entry.type) {
    case "item":
      return [...spaceBefore(entry.event.kind), ...itemLines(entry.event, options)];
    case "text": {
      const lines = pieceLines(entry.piece, width - 2);
      // A blank line separates the blocks of a text, but not the pieces of one block.
      return entry.isFirst
        ? [[], ...withSign(lines, AGENT_SIGN)]
        : [...(entry.piece.isContinued ? [] : [[]]), ...withSign(lines, INDENT)];
    }
    case "gap":
      return [
        line(`… ${entry.count} earlier items (Ctrl-O shows the whole history)`, { isDim: true }),
      ];
    case "picture":
      return pictureLines(entry.rows, width);
    case "notice":
      return showControl(entry.text)
        .split("\n")
        .flatMap((each, index) =>
          wrapLine(line(each, entry.isError ? { colour: "red" } : { isDim: true }), {
            width,
            first: [span(index > 0 ? "  " : entry.isError ? "✗ " : "· ")],
            rest: INDENT,
          }),
        );
  }
}

/** Lays out a picture; returns no lines if the screen is too narrow, because a wrapped picture is unreadable. */
function pictureLines(rows: readonly string[], width: number): readonly Line[] {
  if (rows.some((row) => row.length + INDENT.length > width)) return [];
  return rows.map((row) => [...INDENT, span(row, { isPicture: true })]);
}

function spaceBefore(kind: string): readonly Line[] {
  return kind === "USER_PROMPT" || kind === "TOOL_CALL_UPDATE" ? [[]] : [];
}
