import { findCodeLanguage } from "./code-languages.js";
import { type CodeState, highlightLine } from "./highlight-code.js";

/** A piece of the agent's text that can be drawn by itself: whole blocks, or lines of one code block. */
export type TextPiece =
  | {
      readonly type: "markdown";
      readonly text: string;
      /** True if this piece continues the block of the previous piece. */
      readonly isContinued: boolean;
    }
  /** Text that is shown as source, without parsing it. */
  | { readonly type: "plain"; readonly text: string; readonly isContinued: boolean }
  | {
      readonly type: "code";
      readonly isContinued: boolean;
      readonly language: string;
      readonly lines: readonly string[];
      /** Comment or string that the previous lines left open. */
      readonly state: CodeState | undefined;
    };

/** Progress of splitting a text. */
export interface SplitState {
  /** Length of the text that is already split into pieces. */
  readonly offset: number;
  /** The open code block in which the remaining text begins. */
  readonly fence?: Fence;
  /** True if the remaining text continues a block that is already partly split off. */
  readonly isContinued?: boolean;
}

interface Fence {
  /** The sign that closes the code block, for example "```". */
  readonly marker: string;
  readonly language: string;
  readonly state: CodeState | undefined;
}

/** The state before any text. */
export const EMPTY_SPLIT: SplitState = { offset: 0 };

/** Number of lines after which a block is split. */
const MAX_BLOCK_LINES = 24;
/** Number of lines after which a table is split. It is high, because rows after a split have no header. */
const MAX_TABLE_LINES = 200;
/** Number of characters after which a line is split, at a space if possible. */
const MAX_LINE_LENGTH = 4000;
/** Number of characters after which a block is split. Every frame lays the unsplit text out again. */
const MAX_PIECE_LENGTH = 8000;

/** Number of characters that are parsed as Markdown. Text after them is shown as source, which is cheap. */
const MAX_MARKDOWN_LENGTH = 100_000;

const OPENING_FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;

/**
 * Splits off the pieces that can no longer change: ended blocks, and the first lines of long blocks. The
 * remaining text stays short, so that drawing a growing text does not become slower. If `isEnded` is
 * true, the whole text is split. Pure.
 */
export function splitMarkdown(
  text: string,
  start: SplitState,
  isEnded = false,
): { readonly pieces: readonly TextPiece[]; readonly state: SplitState } {
  const pieces: TextPiece[] = [];
  let state = start;
  for (;;) {
    const next = splitNext(text, state, isEnded);
    if (next === undefined) return { pieces, state };
    if (next.piece !== undefined) pieces.push(next.piece);
    state = next.state;
  }
}

/** Splits the remaining text into pieces to draw now, although the text may still grow. */
export function restOfText(text: string, state: SplitState): readonly TextPiece[] {
  return splitMarkdown(text, state, true).pieces;
}

interface SplitStep {
  readonly piece?: TextPiece;
  readonly state: SplitState;
}

function splitNext(text: string, state: SplitState, isEnded: boolean): SplitStep | undefined {
  if (state.offset >= MAX_MARKDOWN_LENGTH) return splitPlain(text, state, isEnded);
  if (state.fence === undefined) return splitBlock(text, state, isEnded);
  return splitCode(text, state, state.fence, isEnded);
}

/** Splits off a piece of text that is shown as source, up to the end of a line if possible. */
function splitPlain(text: string, { offset }: SplitState, isEnded: boolean): SplitStep | undefined {
  const isRest = text.length - offset <= MAX_PIECE_LENGTH;
  if (offset >= text.length || (isRest && !isEnded)) return undefined;
  const newline = text.slice(offset, offset + MAX_PIECE_LENGTH).lastIndexOf("\n");
  const cut = newline < 0 ? findLineCut(text, offset) : offset + newline + 1;
  const end = isRest ? text.length : cut;
  const piece: TextPiece = { type: "plain", text: text.slice(offset, end), isContinued: true };
  return { piece, state: { offset: end, isContinued: true } };
}

function splitBlock(text: string, start: SplitState, isEnded: boolean): SplitStep | undefined {
  const { offset } = start;
  const isContinued = start.isContinued === true;
  if (offset >= text.length) return undefined;
  let at = offset;
  let lines = 0;
  while (at < text.length) {
    const newline = findNewline(text, at);
    const isWhole = newline >= 0;
    if (!isWhole && text.length - at > MAX_LINE_LENGTH) {
      return cutWithin(text, start, findLineCut(text, at));
    }
    const line = text.slice(at, isWhole ? newline : text.length);
    const fence = isWhole || isEnded ? OPENING_FENCE.exec(line) : null;
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
    const longest = line.startsWith("|") ? MAX_TABLE_LINES : MAX_BLOCK_LINES;
    const isBlockEnd = line.trim() === "" && !/^(?: {2,}|\t)/.test(text.slice(at, at + 2));
    // The next line belongs to the block if it is indented, so the block cannot end before that line arrives.
    if (isBlockEnd && (at < text.length || isEnded)) return cutAt(text, start, at);
    if (lines >= longest || at - offset > MAX_PIECE_LENGTH) return cutWithin(text, start, at);
  }
  return isEnded ? cutAt(text, start, text.length) : undefined;
}

/** Finds the end of a line; -1 if the line is too long or its end has not arrived. */
function findNewline(text: string, at: number): number {
  const index = text.slice(at, at + MAX_LINE_LENGTH + 1).indexOf("\n");
  return index < 0 ? -1 : at + index;
}

/** Finds the index at which a long line is cut: after a space if the line contains a space. */
function findLineCut(text: string, at: number): number {
  const end = at + MAX_LINE_LENGTH;
  const space = text.slice(at, end).lastIndexOf(" ");
  if (space > 0) return at + space + 1;
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** Splits off the text up to the end of a block. */
function cutAt(text: string, { offset, isContinued = false }: SplitState, end: number): SplitStep {
  return { ...markdown(text.slice(offset, end), isContinued), state: { offset: end } };
}

/** Splits off a part of a block that continues. */
function cutWithin(text: string, start: SplitState, end: number): SplitStep {
  return { ...cutAt(text, start, end), state: { offset: end, isContinued: true } };
}

function markdown(text: string, isContinued: boolean): { readonly piece?: TextPiece } {
  return text.trim() === "" ? {} : { piece: { type: "markdown", text, isContinued } };
}

function splitCode(
  text: string,
  { offset, isContinued = false }: SplitState,
  fence: Fence,
  isEnded: boolean,
): SplitStep | undefined {
  const lines: string[] = [];
  let at = offset;
  let isFull = false;
  while (at < text.length && !isFull) {
    const newline = findNewline(text, at);
    const isTooLong = newline < 0 && text.length - at > MAX_LINE_LENGTH;
    if (newline < 0 && !isEnded && !isTooLong) break;
    const end = isTooLong ? findLineCut(text, at) : newline < 0 ? text.length : newline;
    const line = text.slice(at, end);
    at = newline < 0 ? end : newline + 1;
    if (!isTooLong && isClosing(line, fence.marker)) {
      return { ...code(lines, fence, isContinued), state: { offset: at } };
    }
    lines.push(line);
    isFull = lines.length >= MAX_BLOCK_LINES || at - offset > MAX_PIECE_LENGTH;
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
