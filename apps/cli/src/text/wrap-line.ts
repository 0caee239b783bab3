import type { Line, Span, Style } from "./span.js";
import { graphemesOf, textWidth } from "./text-width.js";

interface Word {
  readonly text: string;
  readonly style: Style | undefined;
  readonly width: number;
  readonly isSpace: boolean;
}

/** Options of {@link wrapLine}. */
export interface WrapOptions {
  readonly width: number;
  /** Prefix of the first line. */
  readonly first?: Line;
  /** Prefix of the other lines. */
  readonly rest?: Line;
}

/** Wraps a line at spaces and between spans. A word that is wider than a whole line is split. Pure. */
export function wrapLine(spans: Line, { width, first = [], rest = first }: WrapOptions): Line[] {
  const lines: Line[] = [];
  let current: Span[] = [...first];
  let room = roomAfter(first, width);
  let isEmpty = true;

  function breakLine(): void {
    lines.push(withoutTrailingSpace(current));
    current = [...rest];
    room = roomAfter(rest, width);
    isEmpty = true;
  }

  function put(text: string, style: Style | undefined, columns: number): void {
    const last = current.at(-1);
    if (last !== undefined && !isEmpty && last.style === style) {
      current[current.length - 1] = { ...last, text: last.text + text };
    } else {
      current.push(style === undefined ? { text } : { text, style });
    }
    room -= columns;
    isEmpty = false;
  }

  for (const word of wordsOf(spans)) {
    if (word.width <= room) {
      put(word.text, word.style, word.width);
      continue;
    }
    if (word.isSpace) {
      // The line break replaces the space.
      if (!isEmpty) breakLine();
      continue;
    }
    if (!isEmpty && word.width <= roomAfter(rest, width)) {
      breakLine();
      put(word.text, word.style, word.width);
      continue;
    }
    for (const grapheme of graphemesOf(word.text)) {
      const columns = textWidth(grapheme);
      if (columns > room && !isEmpty) breakLine();
      put(grapheme, word.style, columns);
    }
  }
  lines.push(current);
  return lines;
}

function withoutTrailingSpace(spans: readonly Span[]): Line {
  const last = spans.at(-1);
  if (last === undefined || !last.text.endsWith(" ")) return spans;
  const text = last.text.trimEnd();
  return text === "" ? spans.slice(0, -1) : [...spans.slice(0, -1), { ...last, text }];
}

function roomAfter(prefix: Line, width: number): number {
  return Math.max(1, width - prefix.reduce((sum, { text }) => sum + textWidth(text), 0));
}

function* wordsOf(spans: Line): Generator<Word> {
  for (const { text, style } of spans) {
    for (const part of text.match(/ +|[^ ]+/g) ?? []) {
      yield { text: part, style, width: textWidth(part), isSpace: part.startsWith(" ") };
    }
  }
}
