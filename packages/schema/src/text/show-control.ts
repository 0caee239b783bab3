/** Pictures of the control characters 0x00 … 0x1f, as Unicode draws them. */
const pictures = 0x2400;

/**
 * What a terminal or a reader would obey instead of showing: C0 and C1 controls, marks that change the
 * direction of writing, invisible separators and tags, and halves of a surrogate pair.
 */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
  /\r\n|[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/**
 * Text from a model, a tool, a file or a client as it may stand on a screen: whatever could move the
 * cursor, hide something or turn the order of letters is shown as a sign and does nothing. New lines
 * and tabs stay. Pure.
 */
export function showControl(text: string): string {
  return text.replace(unsafe, (found) => {
    if (found === "\r\n") return "\n";
    const code = found.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(pictures + code);
    if (code === 0x7f) return "\u2421";
    if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
    return `\\u{${code.toString(16)}}`;
  });
}

/** The same on one line: for names, titles and whatever else has only one line to stand on. */
export function showControlOnLine(text: string): string {
  return showControl(text).replaceAll("\n", "\u21b5").replaceAll("\t", " ");
}
