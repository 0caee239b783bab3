import { SettingsError } from "../../settings/settings-error.js";

/** A piece of text, or the place of the arguments. */
export type Words = { readonly type: "text"; readonly text: string } | { readonly type: "args" };

/** A piece of a command's prompt. */
export type Segment =
  | Words
  /** The content of a file. */
  | { readonly type: "file"; readonly path: readonly Words[]; readonly line: number }
  /** What a shell command prints. */
  | { readonly type: "shell"; readonly command: readonly Words[]; readonly line: number };

/** Where a text comes from. */
export interface TextOrigin {
  readonly file: string;
  /** The line of the file that the text begins on, counted from 1. */
  readonly line: number;
}

const marks = /\{\{args\}\}|\$ARGUMENTS\b|[@!]\{/g;

/**
 * Reads `{{args}}`, `$ARGUMENTS`, `@{file}` and `!{command}`. It is read once, before anything is inserted,
 * so nothing that is inserted can insert more. Throws {@link SettingsError} with file and line.
 */
export function parseTemplate(text: string, origin: TextOrigin): readonly Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  for (const { 0: mark, index } of text.matchAll(marks)) {
    // It stands inside of what was read already.
    if (index < at) continue;
    if (index > at) segments.push({ type: "text", text: text.slice(at, index) });
    at = index + mark.length;
    if (mark !== "@{" && mark !== "!{") {
      segments.push({ type: "args" });
      continue;
    }
    const line = origin.line + countLines(text.slice(0, index));
    const end = findClosingBrace(text, at);
    if (end === undefined) throw fault(origin.file, line, `${mark} is never closed by }`);
    const words = parseWords(text.slice(at, end).trim());
    if (words.length === 0) throw fault(origin.file, line, `${mark}} is empty`);
    segments.push(
      mark === "@{" ? { type: "file", path: words, line } : { type: "shell", command: words, line },
    );
    at = end + 1;
  }
  if (at < text.length) segments.push({ type: "text", text: text.slice(at) });
  return segments;
}

/** Whether the arguments have a place of their own. */
export function hasArgs(segments: readonly Segment[]): boolean {
  const isArgs = ({ type }: Words) => type === "args";
  return segments.some((segment) => {
    if (segment.type === "file") return segment.path.some(isArgs);
    return segment.type === "shell" ? segment.command.some(isArgs) : isArgs(segment);
  });
}

/** Puts the arguments into their places. */
export function fillWords(words: readonly Words[], args: string): string {
  return words.map((word) => (word.type === "args" ? args : word.text)).join("");
}

function parseWords(text: string): readonly Words[] {
  return text
    .split(/(\{\{args\}\}|\$ARGUMENTS\b)/)
    .filter((piece) => piece !== "")
    .map((piece) =>
      piece === "{{args}}" || piece === "$ARGUMENTS"
        ? { type: "args" }
        : { type: "text", text: piece },
    );
}

// Braces inside, as of awk, come in pairs.
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
