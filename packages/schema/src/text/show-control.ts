/** First of the Unicode symbols for the control characters 0x00 to 0x1f. */
const CONTROL_PICTURES = 0x2400;

/**
 * Characters that a terminal obeys instead of showing: C0 and C1 controls, marks that change the
 * direction of writing, invisible separators and tags, and lone surrogates.
 */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this expression matches control characters
  /\r\n|[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/**
 * Makes text of a model, a tool, a file or a client safe for a screen. Characters that could move
 * the cursor, hide text or reorder letters become visible symbols. Line breaks and tabs stay.
 */
export function showControl(text: string): string {
  return text.replace(UNSAFE, (found) => {
    if (found === "\r\n") return "\n";
    const code = found.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(CONTROL_PICTURES + code);
    if (code === 0x7f) return "\u2421";
    if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
    return `\\u{${code.toString(16)}}`;
  });
}

/** Like {@link showControl}, but also replaces line breaks by `↵` and tabs by spaces. */
export function showControlOnLine(text: string): string {
  return showControl(text).replaceAll("\n", "\u21b5").replaceAll("\t", " ");
}
