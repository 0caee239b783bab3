/** A text within a limit. */
export interface CutText {
  readonly text: string;
  readonly isTruncated: boolean;
}

/** Returns the beginning of a text that has at most `maxBytes` in UTF-8. No character is cut in two. */
export function cutText(text: string, maxBytes: number): CutText {
  // `encodeInto` stops before the first character that does not fit.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return { text: text.slice(0, read), isTruncated: read < text.length };
}
