/** The colours of the sixteen that every terminal has and every theme makes readable. */
export type Colour = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

/** How a piece of a line looks. */
export interface Style {
  readonly colour?: Colour;
  readonly isBold?: boolean;
  readonly isDim?: boolean;
  readonly isItalic?: boolean;
  readonly isUnderlined?: boolean;
  /** Light and dark exchanged: how a cursor looks, without colour too. */
  readonly isInverse?: boolean;
}

/** A piece of a line in one style. Its text holds neither new lines nor controls. */
export interface Span {
  readonly text: string;
  readonly style?: Style;
}

/** One line of a screen. */
export type Line = readonly Span[];

/** A line in one style. */
export function line(text: string, style?: Style): Line {
  return text === "" ? [] : [span(text, style)];
}

/** A piece in one style. */
export function span(text: string, style?: Style): Span {
  return style === undefined ? { text } : { text, style };
}

/** The text of a line without its styles. */
export function plainText(spans: Line): string {
  return spans.map(({ text }) => text).join("");
}
