/** Bytes that grow; each is copied about twice, however small the pieces are. */
export interface ByteBuffer {
  readonly length: number;
  append(bytes: Uint8Array): void;
  /** All bytes and these; empty afterwards. */
  takeWith(bytes: Uint8Array): Uint8Array;
  /** Keeps only the first so many bytes. */
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

  return {
    get length() {
      return length;
    },
    append,
    truncate,
    takeWith(bytes) {
      if (length === 0) return bytes;
      append(bytes);
      const taken = buffer.subarray(0, length);
      truncate(0);
      return taken;
    },
  };
}
