/** Cuts a stream of bytes into lines. */
export interface LineReader {
  /** Takes bytes; throws {@link RangeError} when one line grows beyond the limit. */
  push(chunk: Buffer): readonly string[];
}

const newline = 0x0a;

/** A reader that holds at most one unfinished line of the given size. */
export function createLineReader(maxLineBytes: number): LineReader {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  return {
    push(chunk) {
      const lines: string[] = [];
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        lines.push(Buffer.concat([...pending, chunk.subarray(start, end)]).toString("utf8"));
        pending = [];
        pendingBytes = 0;
        start = end + 1;
      }
      const rest = chunk.subarray(start);
      pendingBytes += rest.length;
      if (pendingBytes > maxLineBytes) throw new RangeError(`more than ${maxLineBytes} bytes`);
      if (rest.length > 0) pending.push(rest);
      return lines.filter((line) => line.trim() !== "");
    },
  };
}
