/** Encoding of a text file. */
export type TextEncoding = "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be";

/** The text of a file and its encoding. Every encoding except `utf-8` has a byte order mark. */
export interface EncodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
}

const BYTE_ORDER_MARKS: readonly { encoding: TextEncoding; bytes: readonly number[] }[] = [
  { encoding: "utf-8-bom", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
];

/** Detects the encoding by the byte order mark (UTF-8 if there is none). Also returns the mark's length. */
export function detectEncoding(bytes: Buffer): { encoding: TextEncoding; markBytes: number } {
  const mark = BYTE_ORDER_MARKS.find((each) => each.bytes.every((byte, at) => bytes[at] === byte));
  return { encoding: mark?.encoding ?? "utf-8", markBytes: mark?.bytes.length ?? 0 };
}

/** Decodes the bytes of a text file. Returns undefined if encoding the text again might not return the same bytes. */
export function decodeText(bytes: Buffer): EncodedText | undefined {
  const { encoding, markBytes } = detectEncoding(bytes);
  const body = bytes.subarray(markBytes);
  if (encoding === "utf-16le" || encoding === "utf-16be") {
    if (body.length % 2 !== 0) return undefined;
    const little = encoding === "utf-16le" ? body : Buffer.from(body).swap16();
    return { text: little.toString("utf16le"), encoding };
  }
  if (body.includes(0)) return undefined;
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(body), encoding };
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Inverse of {@link decodeText}. Does not add a byte order mark to a text that starts with one. */
export function encodeText({ text, encoding }: EncodedText): Buffer {
  if (encoding === "utf-8") return Buffer.from(text, "utf8");
  const marked = text.startsWith("\ufeff") ? text : `\ufeff${text}`;
  if (encoding === "utf-8-bom") return Buffer.from(marked, "utf8");
  const little = Buffer.from(marked, "utf16le");
  return encoding === "utf-16le" ? little : little.swap16();
}
