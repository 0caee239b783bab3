import { codeLines } from "./code-lines.js";
import { markdownLines, writtenLines } from "./markdown-lines.js";
import type { Line } from "./span.js";
import type { TextPiece } from "./split-markdown.js";

/** A piece of an answer as the lines of a screen. */
export function pieceLines(piece: TextPiece, width: number): readonly Line[] {
  switch (piece.type) {
    case "code":
      return codeLines(piece, width);
    case "plain":
      return writtenLines(piece.text, width);
    case "markdown":
      return markdownLines(piece.text, width);
  }
}
