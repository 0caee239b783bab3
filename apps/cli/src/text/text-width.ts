import stringWidth from "string-width";

const ascii = /^[\x20-\x7e]*$/;
/** Letters that no other letter joins: Latin, Greek, Cyrillic, signs, Japanese, Chinese, Korean. */
const apart =
  /^[\x20-\x7e\u00a1-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u2426\u2500-\u25ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*$/;
const segmenter = new Intl.Segmenter();
/** The segmenter is given so much at a time: what it takes for a text grows faster than the text. */
const WINDOW = 512;

/** Widths of letters that were measured. Measuring takes long, and few letters make up most texts. */
const letterWidths = new Map<string, number>();
const MAX_LETTERS = 4_096;
const longestLetter = 16;

/** How many columns a text takes. Controls must be shown before. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  if (text.length <= longestLetter) return letterWidth(text);
  return graphemesOf(text).reduce((sum, letter) => sum + letterWidth(letter), 0);
}

function letterWidth(letter: string): number {
  const known = letterWidths.get(letter);
  if (known !== undefined) return known;
  const width = stringWidth(letter);
  if (letter.length > longestLetter) return width;
  if (letterWidths.size >= MAX_LETTERS) letterWidths.clear();
  letterWidths.set(letter, width);
  return width;
}

/** The letters of a text as a person counts them. */
export function graphemesOf(text: string): readonly string[] {
  // The segmenter takes long, and most texts do not need it.
  if (apart.test(text)) return text.split("");
  const letters: string[] = [];
  for (let start = 0; start < text.length; ) {
    const found = Array.from(segmenter.segment(text.slice(start, start + WINDOW)), toText);
    // The last letter may go on behind the window.
    if (start + WINDOW < text.length && found.length > 1) found.pop();
    letters.push(...found);
    start += found.reduce((sum, letter) => sum + letter.length, 0);
  }
  return letters;
}

const toText = ({ segment }: { readonly segment: string }) => segment;

/** The beginning of a text that fits into so many columns; what is cut off is told by "…". */
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
