import type { CodeLanguage } from "./code-languages.js";
import { type Line, type Span, type Style, span } from "./span.js";

/** A comment or string that is still open at the end of a line: its style, and the sign that ends it. */
export interface CodeState {
  readonly until: string;
  readonly style: Style;
}

const COMMENT_STYLE: Style = { isDim: true };
const STRING_STYLE: Style = { colour: "green" };
const KEYWORD_STYLE: Style = { colour: "magenta" };
const NUMBER_STYLE: Style = { colour: "yellow" };

/**
 * Highlights one line of code. `state` is the state after the previous line, so that each line of a growing
 * block is read only once. Pure.
 */
export function highlightLine(
  code: string,
  language: CodeLanguage,
  state: CodeState | undefined,
): { readonly line: Line; readonly state: CodeState | undefined } {
  const spans: Span[] = [];
  let open = state;
  let at = 0;
  while (at < code.length) {
    const token: Token =
      open === undefined ? nextToken(code, at, language) : restOf(code, at, open);
    spans.push(span(code.slice(at, token.end), token.style));
    at = token.end;
    open = token.open;
  }
  return { line: spans, state: open };
}

interface Token {
  readonly end: number;
  readonly style: Style | undefined;
  readonly open: CodeState | undefined;
}

/** Continues the comment or string that an earlier line or token left open. */
function restOf(code: string, at: number, open: CodeState): Token {
  const end = findEnd(code, at, open.until);
  return end === undefined
    ? { end: code.length, style: open.style, open }
    : { end, style: open.style, open: undefined };
}

function nextToken(code: string, at: number, language: CodeLanguage): Token {
  if (language.lineComments.some((begin) => isCommentStart(code, at, begin))) {
    return { end: code.length, style: COMMENT_STYLE, open: undefined };
  }
  const [begin, end] = language.blockComment ?? [];
  if (begin !== undefined && end !== undefined && code.startsWith(begin, at)) {
    return readDelimited(code, at, { begin, until: end, style: COMMENT_STYLE, isMultiline: true });
  }
  const quote = language.quotes.find((each) => code.startsWith(each, at));
  if (quote !== undefined) {
    const isMultiline = language.multiline.includes(quote);
    return readDelimited(code, at, {
      begin: quote,
      until: quote,
      style: STRING_STYLE,
      isMultiline,
    });
  }
  return wordAt(code, at, language);
}

// True if a comment begins at this index. A "#" inside a word or the "//" of an address begins no comment.
function isCommentStart(code: string, at: number, begin: string): boolean {
  if (!code.startsWith(begin, at)) return false;
  const before = code[at - 1];
  return before === undefined || (begin === "#" ? /\s/.test(before) : before !== ":");
}

function readDelimited(
  code: string,
  at: number,
  { begin, until, style, isMultiline }: CodeState & { begin: string; isMultiline: boolean },
): Token {
  const end = findEnd(code, at + begin.length, until);
  if (end !== undefined) return { end, style, open: undefined };
  return { end: code.length, style, open: isMultiline ? { until, style } : undefined };
}

/** Finds the index after the closing sign; escaped signs are skipped. */
function findEnd(code: string, from: number, until: string): number | undefined {
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === "\\") at += 1;
    else if (code.startsWith(until, at)) return at + until.length;
  }
  return undefined;
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*|\d[\p{N}a-fA-FxXoO_.]*|\s+|[^\p{L}\p{N}_$\s]/uy;

function wordAt(code: string, at: number, { keywords }: CodeLanguage): Token {
  WORD.lastIndex = at;
  const [word] = WORD.exec(code) ?? [code.slice(at, at + 1)];
  const end = at + word.length;
  const isKeyword =
    keywords.has(word) || (keywords.has("SELECT") && keywords.has(word.toUpperCase()));
  if (isKeyword) return { end, style: KEYWORD_STYLE, open: undefined };
  return { end, style: /^\d/.test(word) ? NUMBER_STYLE : undefined, open: undefined };
}
