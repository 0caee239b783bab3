/** One line of a peer, or the beginning of a line that has too many bytes. */
export type PeerLine =
  | { readonly type: "line"; readonly text: string }
  | { readonly type: "too-long"; readonly start: string };

/** Splits the bytes of a peer into lines. It keeps at most one unfinished line. */
export interface LineSplitter {
  /** Returns the lines that these bytes end. Empty lines are left out. */
  push(bytes: Uint8Array): readonly PeerLine[];
  /** Returns the unfinished line at the end of the stream; undefined if there is none. */
  end(): PeerLine | undefined;
}

const NEWLINE = 0x0a;

/** Number of bytes that are kept of a line that is too long. They usually contain the id of its message. */
const START_BYTES = 1024;

/** Creates a splitter. It keeps only the beginning of a line with more than `maxBytes`. */
export function createLineSplitter(maxBytes: number): LineSplitter {
  let pieces: Uint8Array[] = [];
  let length = 0;

  function collect(bytes: Uint8Array): void {
    const isTooLong = length + bytes.length > maxBytes;
    if (length <= maxBytes) pieces.push(bytes.slice(0, Math.max(maxBytes - length, 0)));
    // The rest of the line is dropped, so most of its bytes need no memory.
    if (isTooLong) pieces = [join(pieces).slice(0, START_BYTES)];
    length += bytes.length;
  }

  function take(): PeerLine | undefined {
    const text = new TextDecoder().decode(join(pieces)).trim();
    const isTooLong = length > maxBytes;
    pieces = [];
    length = 0;
    if (isTooLong) return { type: "too-long", start: text };
    return text === "" ? undefined : { type: "line", text };
  }

  return {
    push(bytes) {
      const lines: PeerLine[] = [];
      let from = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
        collect(bytes.subarray(from, end));
        const line = take();
        if (line !== undefined) lines.push(line);
        from = end + 1;
      }
      if (from < bytes.length) collect(bytes.subarray(from));
      return lines;
    },
    end: take,
  };
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return only;
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
