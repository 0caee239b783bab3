/** The ANSI colours that are readable in every terminal theme. */
export type Colour = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

/** Style of a span. */
export interface Style {
  readonly colour?: Colour;
  readonly isBold?: boolean;
  readonly isDim?: boolean;
  readonly isItalic?: boolean;
  readonly isUnderlined?: boolean;
  /** Swaps the colours of text and background, to mark the cursor; used even if colours are off. */
  readonly isInverse?: boolean;
  /** Black on white, whatever the colours of the terminal are. */
  readonly isPicture?: boolean;
}

/** A piece of a line in one style. Its text has no line breaks and no control characters. */
export interface Span {
  readonly text: string;
  readonly style?: Style;
}

/** One line of a screen. */
export type Line = readonly Span[];

/** Creates a line in one style. */
export function line(text: string, style?: Style): Line {
  return text === "" ? [] : [span(text, style)];
}

/** Creates a span. */
export function span(text: string, style?: Style): Span {
  return style === undefined ? { text } : { text, style };
}

/** Returns the text of a line without its styles. */
export function plainText(spans: Line): string {
  return spans.map(({ text }) => text).join("");
}
