import { findCodeLanguage } from "./code-languages.js";
import { type CodeState, highlightLine } from "./highlight-code.js";

/** A part of an answer that can be shown by itself: whole blocks, or lines of one code block. */
export type TextPiece =
  | {
      readonly type: "markdown";
      readonly text: string;
      /** Whether it goes on where the piece before it was cut. */
      readonly isContinued: boolean;
    }
  /** Shown as it was written. */
  | { readonly type: "plain"; readonly text: string; readonly isContinued: boolean }
  | {
      readonly type: "code";
      readonly isContinued: boolean;
      readonly language: string;
      readonly lines: readonly string[];
      /** What the lines before left open. */
      readonly state: CodeState | undefined;
    };

/** How far an answer is split. */
export interface SplitState {
  /** How much of the text stands in pieces already. */
  readonly offset: number;
  /** The code block that the rest is in. */
  readonly fence?: Fence;
  /** Whether the rest goes on with a block whose beginning stands in pieces already. */
  readonly isContinued?: boolean;
}

interface Fence {
  /** What closes it, e.g. "```". */
  readonly marker: string;
  readonly language: string;
  readonly state: CodeState | undefined;
}

/** Where every text begins. */
export const emptySplit: SplitState = { offset: 0 };

/** A block that grows past this is split at the end of a line. */
const longestBlock = 24;
/** A table is longer, since a part without its head is none. */
const longestTable = 200;
/** A line that grows past this is split at a space. */
const longestLine = 4000;
/** A block of long lines is split past so many characters: all of what is open is read for every frame. */
const longestPiece = 8000;

/** So much of an answer is read as Markdown; what follows is shown as it was written, which costs little. */
const longestMarkdown = 100_000;

const opening = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;

/**
 * Cuts off what can no longer change: blocks that have ended, and the beginning of those that are long.
 * What is left is short, so that showing an answer while it grows costs the same at its end as at its
 * beginning. `isEnded`: nothing more will come, all of it is cut. Pure.
 */
export function splitMarkdown(
  text: string,
  start: SplitState,
  isEnded = false,
): { readonly pieces: readonly TextPiece[]; readonly state: SplitState } {
  const pieces: TextPiece[] = [];
  let state = start;
  for (;;) {
    const next = takeNext(text, state, isEnded);
    if (next === undefined) return { pieces, state };
    if (next.piece !== undefined) pieces.push(next.piece);
    state = next.state;
  }
}

/** What is left of a text that still grows. */
export function restOfText(text: string, state: SplitState): readonly TextPiece[] {
  return splitMarkdown(text, state, true).pieces;
}

interface Taken {
  readonly piece?: TextPiece;
  readonly state: SplitState;
}

function takeNext(text: string, state: SplitState, isEnded: boolean): Taken | undefined {
  if (state.offset >= longestMarkdown) return takePlain(text, state, isEnded);
  if (state.fence === undefined) return takeBlock(text, state, isEnded);
  return takeCode(text, state, state.fence, isEnded);
}

/** As much as fits into a piece, up to the end of a line if it has one. */
function takePlain(text: string, { offset }: SplitState, isEnded: boolean): Taken | undefined {
  const isRest = text.length - offset <= longestPiece;
  if (offset >= text.length || (isRest && !isEnded)) return undefined;
  const newline = text.slice(offset, offset + longestPiece).lastIndexOf("\n");
  const cut = newline < 0 ? cutOfLine(text, offset) : offset + newline + 1;
  const end = isRest ? text.length : cut;
  const piece: TextPiece = { type: "plain", text: text.slice(offset, end), isContinued: true };
  return { piece, state: { offset: end, isContinued: true } };
}

function takeBlock(text: string, start: SplitState, isEnded: boolean): Taken | undefined {
  const { offset } = start;
  const isContinued = start.isContinued === true;
  if (offset >= text.length) return undefined;
  let at = offset;
  let lines = 0;
  while (at < text.length) {
    const newline = findNewline(text, at);
    const isWhole = newline >= 0;
    if (!isWhole && text.length - at > longestLine) {
      return cutWithin(text, start, cutOfLine(text, at));
    }
    const line = text.slice(at, isWhole ? newline : text.length);
    const fence = isWhole || isEnded ? opening.exec(line) : null;
    if (fence !== null) {
      const [, marker = "", info = ""] = fence;
      const [language = ""] = info.trim().split(/\s/, 1);
      const after = isWhole ? newline + 1 : text.length;
      const state: SplitState = { offset: after, fence: { marker, language, state: undefined } };
      return { ...markdown(text.slice(offset, at), isContinued), state };
    }
    if (!isWhole) break;
    at = newline + 1;
    lines += 1;
    const longest = line.startsWith("|") ? longestTable : longestBlock;
    const isBlockEnd = line.trim() === "" && !/^(?: {2,}|\t)/.test(text.slice(at, at + 2));
    // Whether the next line belongs to the block is known when it is there.
    if (isBlockEnd && (at < text.length || isEnded)) return cutAt(text, start, at);
    if (lines >= longest || at - offset > longestPiece) return cutWithin(text, start, at);
  }
  return isEnded ? cutAt(text, start, text.length) : undefined;
}

/** The end of a line that is not too long, or -1. */
function findNewline(text: string, at: number): number {
  const index = text.slice(at, at + longestLine + 1).indexOf("\n");
  return index < 0 ? -1 : at + index;
}

/** Where a line that is too long is cut: after a space, if it has one. */
function cutOfLine(text: string, at: number): number {
  const end = at + longestLine;
  const space = text.slice(at, end).lastIndexOf(" ");
  if (space > 0) return at + space + 1;
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** Cuts where a block ends. */
function cutAt(text: string, { offset, isContinued = false }: SplitState, end: number): Taken {
  return { ...markdown(text.slice(offset, end), isContinued), state: { offset: end } };
}

/** Cuts where a block goes on. */
function cutWithin(text: string, start: SplitState, end: number): Taken {
  return { ...cutAt(text, start, end), state: { offset: end, isContinued: true } };
}

function markdown(text: string, isContinued: boolean): { readonly piece?: TextPiece } {
  return text.trim() === "" ? {} : { piece: { type: "markdown", text, isContinued } };
}

function takeCode(
  text: string,
  { offset, isContinued = false }: SplitState,
  fence: Fence,
  isEnded: boolean,
): Taken | undefined {
  const lines: string[] = [];
  let at = offset;
  let isFull = false;
  while (at < text.length && !isFull) {
    const newline = findNewline(text, at);
    const isTooLong = newline < 0 && text.length - at > longestLine;
    if (newline < 0 && !isEnded && !isTooLong) break;
    const end = isTooLong ? cutOfLine(text, at) : newline < 0 ? text.length : newline;
    const line = text.slice(at, end);
    at = newline < 0 ? end : newline + 1;
    if (!isTooLong && isClosing(line, fence.marker)) {
      return { ...code(lines, fence, isContinued), state: { offset: at } };
    }
    lines.push(line);
    isFull = lines.length >= longestBlock || at - offset > longestPiece;
  }
  if ((!isFull && !isEnded) || lines.length === 0) return undefined;
  return {
    ...code(lines, fence, isContinued),
    state: { offset: at, fence: fenceAfter(lines, fence), isContinued: true },
  };
}

function isClosing(line: string, marker: string): boolean {
  const trimmed = line.trim();
  return trimmed.length >= marker.length && trimmed === marker.charAt(0).repeat(trimmed.length);
}

function code(
  lines: readonly string[],
  { language, state }: Fence,
  isContinued: boolean,
): { readonly piece?: TextPiece } {
  if (lines.length === 0) return {};
  return { piece: { type: "code", language, lines, state, isContinued } };
}

function fenceAfter(lines: readonly string[], fence: Fence): Fence {
  const language = findCodeLanguage(fence.language);
  if (language === undefined) return fence;
  let { state } = fence;
  for (const line of lines) ({ state } = highlightLine(line, language, state));
  return { ...fence, state };
}
