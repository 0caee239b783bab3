import { showControl } from "@dt/schema";
import { pieceLines } from "../text/piece-lines.js";
import { type Line, line, span } from "../text/span.js";
import { wrapLine } from "../text/wrap-line.js";
import type { Entry } from "./advance-transcript.js";
import { agentSign, type ItemOptions, itemLines, withSign } from "./item-lines.js";

const blank: Line = [span("  ")];

/** What has settled as the lines of a screen, with a blank line before what begins something. */
export function entryLines(entry: Entry, options: ItemOptions): readonly Line[] {
  const { width } = options;
  switch (entry.type) {
    case "item":
      return [...spaceBefore(entry.event.kind), ...itemLines(entry.event, options)];
    case "text": {
      const lines = pieceLines(entry.piece, width - 2);
      // Blocks of one answer stand apart, as they did in it; the parts of one block do not.
      return entry.isFirst
        ? [[], ...withSign(lines, agentSign)]
        : [...(entry.piece.isContinued ? [] : [[]]), ...withSign(lines, blank)];
    }
    case "gap":
      return [
        line(`… ${entry.count} earlier items (Ctrl-O shows the whole history)`, { isDim: true }),
      ];
    case "notice":
      return showControl(entry.text)
        .split("\n")
        .flatMap((each, index) =>
          wrapLine(line(each, entry.isError ? { colour: "red" } : { isDim: true }), {
            width,
            first: [span(index > 0 ? "  " : entry.isError ? "✗ " : "· ")],
            rest: blank,
          }),
        );
  }
}

function spaceBefore(kind: string): readonly Line[] {
  return kind === "USER_PROMPT" || kind === "TOOL_CALL_UPDATE" ? [[]] : [];
}
