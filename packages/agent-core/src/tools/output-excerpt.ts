/** The beginning and the end of a text of any length, in bounded memory. */
export interface OutputExcerpt {
  append(text: string): void;
  /** True if a part in the middle is missing. */
  readonly isCut: boolean;
  /** Returns the excerpt, with the result of `describeCut` in place of the missing part. */
  toText(describeCut: (cut: { readonly bytes: number; readonly lines: number }) => string): string;
  /**
   * Returns the last lines, at most `bytes` bytes. If earlier lines are left out, the result starts with a
   * line that contains `…`.
   */
  tail(bytes: number): string;
}

/** Creates an excerpt that keeps the first `headBytes` and the last `tailBytes` bytes. */
export function createOutputExcerpt(limits: {
  readonly headBytes: number;
  readonly tailBytes: number;
}): OutputExcerpt {
  let head = "";
  let tail = "";
  let cutBytes = 0;
  let cutLines = 0;

  function shorten(keepBytes: number): void {
    const kept = lastBytes(tail, keepBytes);
    const cut = tail.slice(0, tail.length - kept.length);
    cutBytes += Buffer.byteLength(cut);
    cutLines += cut.split("\n").length - 1;
    tail = kept;
  }

  return {
    append(text) {
      const room = limits.headBytes - Buffer.byteLength(head);
      const first = tail === "" && cutBytes === 0 ? firstBytes(text, room) : "";
      head += first;
      tail += text.slice(first.length);
      // The tail is cut only when it exceeds about twice its limit, because each cut copies the kept text.
      if (tail.length > 2 * limits.tailBytes) shorten(limits.tailBytes);
    },
    get isCut() {
      return cutBytes > 0 || Buffer.byteLength(tail) > limits.tailBytes;
    },
    toText(describeCut) {
      if (Buffer.byteLength(tail) > limits.tailBytes) shorten(limits.tailBytes);
      if (cutBytes === 0) return head + tail;
      const separator = head === "" || head.endsWith("\n") ? "" : "\n";
      return `${head}${separator}${describeCut({ bytes: cutBytes, lines: cutLines })}\n${tail}`;
    },
    tail(bytes) {
      const text = lastBytes(head.slice(-bytes) + tail, bytes);
      return text.length === head.length + tail.length ? text : `…\n${withoutBrokenLine(text)}`;
    },
  };
}

/** Returns the longest prefix of at most `bytes` UTF-8 bytes, without splitting a character. */
export function firstBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let end = bytes;
  const encoded = Buffer.from(text.slice(0, bytes + 1), "utf8");
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.toString("utf8", 0, Math.max(0, end));
}

/** Returns the longest suffix of at most `bytes` UTF-8 bytes, without splitting a character. */
export function lastBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text.slice(-bytes), "utf8");
  let start = Math.max(0, encoded.length - bytes);
  while (start < encoded.length && ((encoded[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return encoded.toString("utf8", start);
}

/** Removes the first line if other lines follow it, because the first line may be incomplete. */
function withoutBrokenLine(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 || end === text.length - 1 ? text : text.slice(end + 1);
}
