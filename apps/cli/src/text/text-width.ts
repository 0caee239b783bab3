import stringWidth from "string-width";

const ascii = /^[\x20-\x7e]*$/;
const segmenter = new Intl.Segmenter();

/** How many columns a text takes. Controls must be shown before. */
export function textWidth(text: string): number {
  return ascii.test(text) ? text.length : stringWidth(text);
}

/** The letters of a text as a person counts them. */
export function graphemesOf(text: string): readonly string[] {
  if (ascii.test(text)) return text.split("");
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

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
