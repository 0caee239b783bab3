import stringWidth from "string-width";

const ASCII = /^[\x20-\x7e]*$/;
/**
 * Matches texts in which every character is a grapheme of its own: Latin, Greek, Cyrillic, signs, Japanese,
 * Chinese, Korean.
 */
const SINGLE_CHARACTERS =
  /^[\x20-\x7e\u00a1-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u2426\u2500-\u25ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*$/;
const SEGMENTER = new Intl.Segmenter();
/** Number of characters per call of the segmenter. Its running time grows faster than its input. */
const WINDOW_LENGTH = 512;

/** Cached widths: measuring is slow, and most texts use few different graphemes. */
const WIDTHS = new Map<string, number>();
const MAX_CACHED_WIDTHS = 4_096;
const MAX_CACHED_LENGTH = 16;

/** Counts the terminal columns of a text whose control characters are escaped. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  if (text.length <= MAX_CACHED_LENGTH) return graphemeWidth(text);
  return graphemesOf(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

function graphemeWidth(grapheme: string): number {
  const known = WIDTHS.get(grapheme);
  if (known !== undefined) return known;
  const width = stringWidth(grapheme);
  if (grapheme.length > MAX_CACHED_LENGTH) return width;
  if (WIDTHS.size >= MAX_CACHED_WIDTHS) WIDTHS.clear();
  WIDTHS.set(grapheme, width);
  return width;
}

/** Splits a text into graphemes, the characters as a person counts them. */
export function graphemesOf(text: string): readonly string[] {
  // Most texts need no segmenter, which is slow.
  if (SINGLE_CHARACTERS.test(text)) return text.split("");
  const graphemes: string[] = [];
  for (let start = 0; start < text.length; ) {
    const found = Array.from(SEGMENTER.segment(text.slice(start, start + WINDOW_LENGTH)), toText);
    // The last grapheme may continue after the window.
    if (start + WINDOW_LENGTH < text.length && found.length > 1) found.pop();
    graphemes.push(...found);
    start += found.reduce((sum, grapheme) => sum + grapheme.length, 0);
  }
  return graphemes;
}

function toText({ segment }: { readonly segment: string }): string {
  return segment;
}

/** Cuts a text to a number of columns; "…" marks the cut. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width <= 0) return "";
  let kept = "";
  let used = 0;
  for (const grapheme of graphemesOf(text.slice(0, width * 8))) {
    used += textWidth(grapheme);
    if (used > width - 1) break;
    kept += grapheme;
  }
  return `${kept}…`;
}
