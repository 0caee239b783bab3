import { SettingsError } from "../../settings/settings-error.js";

/** A piece of text, or the placeholder for the arguments. */
export type TemplateText =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "args" };

/** A piece of a command's prompt. */
export type Segment =
  | TemplateText
  /** The content of a file. */
  | { readonly type: "file"; readonly path: readonly TemplateText[]; readonly line: number }
  /** The output of a shell command. */
  | { readonly type: "shell"; readonly command: readonly TemplateText[]; readonly line: number };

/** File and line of a text. */
export interface TextOrigin {
  readonly file: string;
  /** Line at which the text begins, counted from 1. */
  readonly line: number;
}

const PLACEHOLDERS = /\{\{args\}\}|\$ARGUMENTS\b|[@!]\{/g;

/**
 * Parses the placeholders `{{args}}`, `$ARGUMENTS`, `@{file}` and `!{command}`. The template is parsed
 * before anything is inserted, so placeholders in inserted text have no effect. Throws
 * {@link SettingsError} if a placeholder is empty or not closed.
 */
export function parseTemplate(text: string, origin: TextOrigin): readonly Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  for (const { 0: placeholder, index } of text.matchAll(PLACEHOLDERS)) {
    // This placeholder is inside a placeholder that was parsed already.
    if (index < at) continue;
    if (index > at) segments.push({ type: "text", text: text.slice(at, index) });
    at = index + placeholder.length;
    if (placeholder !== "@{" && placeholder !== "!{") {
      segments.push({ type: "args" });
      continue;
    }
    const line = origin.line + countLines(text.slice(0, index));
    const end = findClosingBrace(text, at);
    if (end === undefined) throw fault(origin.file, line, `${placeholder} has no closing }`);
    const pieces = parsePieces(text.slice(at, end).trim());
    if (pieces.length === 0) throw fault(origin.file, line, `${placeholder}} is empty`);
    segments.push(
      placeholder === "@{"
        ? { type: "file", path: pieces, line }
        : { type: "shell", command: pieces, line },
    );
    at = end + 1;
  }
  if (at < text.length) segments.push({ type: "text", text: text.slice(at) });
  return segments;
}

/** Returns true if the template uses the arguments. */
export function hasArgs(segments: readonly Segment[]): boolean {
  const isArgs = ({ type }: TemplateText) => type === "args";
  return segments.some((segment) => {
    if (segment.type === "file") return segment.path.some(isArgs);
    return segment.type === "shell" ? segment.command.some(isArgs) : isArgs(segment);
  });
}

/** Joins the pieces, with the arguments in place of each placeholder. */
export function insertArguments(pieces: readonly TemplateText[], args: string): string {
  return pieces.map((piece) => (piece.type === "args" ? args : piece.text)).join("");
}

function parsePieces(text: string): readonly TemplateText[] {
  return text
    .split(/(\{\{args\}\}|\$ARGUMENTS\b)/)
    .filter((piece) => piece !== "")
    .map((piece) =>
      piece === "{{args}}" || piece === "$ARGUMENTS"
        ? { type: "args" }
        : { type: "text", text: piece },
    );
}

// Finds the brace that closes a placeholder. Braces inside the placeholder, such as those of awk, must come
// in pairs.
function findClosingBrace(text: string, from: number): number | undefined {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

function countLines(text: string): number {
  return text.split("\n").length - 1;
}

function fault(file: string, line: number, problem: string): SettingsError {
  return new SettingsError([{ file, line, key: "", problem }]);
}
