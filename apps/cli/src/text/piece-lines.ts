import { codeLines } from "./code-lines.js";
import { markdownLines } from "./markdown-lines.js";
import type { Line } from "./span.js";
import type { TextPiece } from "./split-markdown.js";

/** A piece of an answer as the lines of a screen. */
export function pieceLines(piece: TextPiece, width: number): readonly Line[] {
  return piece.type === "code" ? codeLines(piece, width) : markdownLines(piece.text, width);
}
