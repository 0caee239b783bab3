import { showControlOnLine } from "@dt/schema";
import type { Colour, Line, Style } from "./span.js";

const COLOUR_CODES: Readonly<Record<Colour, number>> = {
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
};

/** Encodes a line as text with the escape codes of its styles. */
export type Paint = (spans: Line) => string;

/** Creates a painter. Without colours, it encodes only the text and the inverse style of the cursor. */
export function createPaint(options: { readonly hasColour: boolean }): Paint {
  const codesOf = options.hasColour ? allCodes : ({ isInverse }: Style) => (isInverse ? [7] : []);
  // The text is escaped again, as the last step before the terminal, in case a span is not escaped.
  return (spans) =>
    spans
      .map(({ text, style }) => paintText(showControlOnLine(text), style && codesOf(style)))
      .join("");
}

function paintText(text: string, codes: readonly number[] = []): string {
  return codes.length === 0 || text === "" ? text : `\x1b[${codes.join(";")}m${text}\x1b[0m`;
}

function allCodes(style: Style): number[] {
  return [
    ...(style.isBold ? [1] : []),
    ...(style.isDim ? [2] : []),
    ...(style.isItalic ? [3] : []),
    ...(style.isUnderlined ? [4] : []),
    ...(style.isInverse ? [7] : []),
    ...(style.isPicture ? [30, 107] : []),
    ...(style.colour === undefined ? [] : [COLOUR_CODES[style.colour]]),
  ];
}
