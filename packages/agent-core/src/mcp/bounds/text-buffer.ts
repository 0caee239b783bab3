import { StringDecoder } from "node:string_decoder";
import { createByteBuffer } from "../../model/byte-buffer.js";

/** A text that is decoded while its bytes arrive. */
export interface TextBuffer {
  append(bytes: Uint8Array): void;
  /** Returns the whole text, and empties the buffer. */
  take(): string;
  clear(): void;
}

/** Size of a piece. It is so large that a text has few pieces, even if its bytes arrive one by one. */
const PIECE_BYTES = 64 * 1024;

/**
 * Creates a buffer for UTF-8. It decodes piece by piece, because decoding 30 MB of non-ASCII text at once
 * blocks the event loop for about 300 ms.
 */
export function createTextBuffer(): TextBuffer {
  const pending = createByteBuffer();
  let decoder = new StringDecoder("utf8");
  let pieces: string[] = [];

  function clear(): void {
    pending.truncate(0);
    pieces = [];
    decoder = new StringDecoder("utf8");
  }

  return {
    append(bytes) {
      pending.append(bytes);
      if (pending.length >= PIECE_BYTES) pieces.push(decoder.write(toBuffer(pending.take())));
    },
    take() {
      const text = [...pieces, decoder.end(toBuffer(pending.take()))].join("");
      clear();
      return text;
    },
    clear,
  };
}

function toBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
