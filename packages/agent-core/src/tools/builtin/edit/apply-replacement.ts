import { ToolError } from "../../../errors/tool-error.js";
import { isCrlf, toCrlf, toLf } from "../../../workspace/text/line-endings.js";
import { splitText } from "../../../workspace/text/split-text.js";
import type { WorkspacePath } from "../../../workspace/workspace.js";
import { findNearestText } from "./nearest-text.js";

/** A replacement of text in a file. */
export interface TextReplacement {
  readonly oldString: string;
  readonly newString: string;
  /** Number of times that `oldString` must occur. */
  readonly expected: number;
  readonly file: Pick<WorkspacePath, "display" | "isInside">;
}

/**
 * Replaces text, or throws an error that tells the model what to do. Pure.
 *
 * If the text uses only CRLF, both strings may use LF, because models write LF. The result uses
 * CRLF.
 */
export function applyReplacement(text: string | undefined, replacement: TextReplacement): string {
  const { oldString, newString, file } = replacement;
  if (oldString === "") return createdText(text, replacement);
  if (text === undefined) {
    const hint = "to create the file, use write_file, or replace with an empty old_string";
    throw new ToolError("not_found", `${file.display} does not exist; ${hint}`);
  }
  if (oldString === newString) {
    throw new ToolError(
      "no_change",
      "old_string and new_string are the same, so there is nothing to replace",
    );
  }
  if (!isCrlf(text)) return replaceExactly(text, replacement);
  const strings = { oldString: toLf(oldString), newString: toLf(newString) };
  return toCrlf(replaceExactly(toLf(text), { ...replacement, ...strings }));
}

function createdText(text: string | undefined, { newString, file }: TextReplacement): string {
  if (text === undefined) return newString;
  const hint = "give the text to replace, or use write_file to write the whole file";
  throw new ToolError("no_match", `old_string is empty but ${file.display} exists; ${hint}`);
}

function replaceExactly(text: string, replacement: TextReplacement): string {
  const { oldString, newString, expected } = replacement;
  const pieces = splitText(text, oldString);
  if (pieces.length - 1 === expected) return pieces.join(newString);
  throw pieces.length === 1 ? notFound(text, replacement) : wrongCount(pieces, replacement);
}

function notFound(text: string, { oldString, file }: TextReplacement): ToolError {
  // The permission to edit a file outside the workspace is no permission to read it.
  const nearest = file.isInside ? findNearestText(text, oldString) : undefined;
  const advice =
    nearest === undefined
      ? "read the file again"
      : `the most similar text starts at line ${nearest.line}; copy it exactly, indentation included:\n${nearest.text}`;
  return new ToolError("no_match", `old_string is not in ${file.display}; ${advice}`);
}

function wrongCount(pieces: readonly string[], replacement: TextReplacement): ToolError {
  const { oldString, expected, file } = replacement;
  const found = pieces.length - 1;
  const lines: number[] = [];
  let line = 1;
  for (const piece of pieces.slice(0, 20)) {
    line += countLineEnds(piece);
    lines.push(line);
    line += countLineEnds(oldString);
  }
  const shown = lines.slice(0, Math.min(found, 20)).join(", ");
  const occurrences = `it occurs ${times(found)} in ${file.display} (lines: ${shown})`;
  return new ToolError(
    "wrong_count",
    `old_string should occur ${times(expected)}, but ${occurrences}; add surrounding lines until it occurs once, or set expected_replacements to ${found}`,
  );
}

function countLineEnds(text: string): number {
  return text.split("\n").length - 1;
}

function times(count: number): string {
  return `${count} ${count === 1 ? "time" : "times"}`;
}
