/** A growing list of bytes. Each byte is copied about twice, even if the chunks are small. */
export interface ByteBuffer {
  readonly length: number;
  append(bytes: Uint8Array): void;
  /** Returns all bytes, and empties the buffer. */
  take(): Uint8Array;
  /** Returns all bytes followed by `bytes`, and empties the buffer. */
  takeWith(bytes: Uint8Array): Uint8Array;
  /** Removes all bytes after the first `length`. */
  truncate(length: number): void;
}

/** Creates an empty buffer. */
export function createByteBuffer(): ByteBuffer {
  let buffer = new Uint8Array();
  let length = 0;

  function append(bytes: Uint8Array): void {
    if (length + bytes.length > buffer.length) {
      const larger = new Uint8Array(Math.max(2 * buffer.length, length + bytes.length));
      larger.set(buffer.subarray(0, length));
      buffer = larger;
    }
    buffer.set(bytes, length);
    length += bytes.length;
  }

  function truncate(kept: number): void {
    length = Math.min(length, kept);
    if (length === 0) buffer = new Uint8Array();
  }

  function take(): Uint8Array {
    const taken = buffer.subarray(0, length);
    truncate(0);
    return taken;
  }

  return {
    get length() {
      return length;
    },
    append,
    truncate,
    take,
    takeWith(bytes) {
      if (length === 0) return bytes;
      append(bytes);
      return take();
    },
  };
}
