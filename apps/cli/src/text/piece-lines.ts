import { codeLines } from "./code-lines.js";
import { markdownLines, sourceLines } from "./markdown-lines.js";
import type { Line } from "./span.js";
import type { TextPiece } from "./split-markdown.js";

/** Lays a piece of the agent's text out as lines of a screen. */
export function pieceLines(piece: TextPiece, width: number): readonly Line[] {
  switch (piece.type) {
    case "code":
      return codeLines(piece, width);
    case "plain":
      return sourceLines(piece.text, width);
    case "markdown":
      return markdownLines(piece.text, width);
  }
}
