import type { StreamFrame } from "@dt/schema/wire";

/** Maximum size of the cached frames together: texts and bytes. */
const MAX_CACHED_BYTES = 2 * 1024 * 1024;
/** Maximum length of the text of a cached frame. Longer frames are rare. */
const MAX_FRAME_LENGTH = 64 * 1024;

/**
 * Creates the encoder of all streams. Its input is the text of a frame, which all subscribers share. The bytes of the
 * latest frames are cached, so that a frame is encoded once for all subscribers that are not far behind.
 */
export function createFrameEncoder(
  encodeResult: (json: unknown) => Buffer,
): (frame: Pick<StreamFrame, "json">) => Buffer {
  const cache = new Map<string, Buffer>();
  let size = 0;

  function forgetOldest(): void {
    const [oldest] = cache;
    if (oldest === undefined) return;
    cache.delete(oldest[0]);
    size -= sizeOf(...oldest);
  }

  return ({ json }) => {
    const cached = cache.get(json);
    if (cached !== undefined) return cached;
    const bytes = encodeResult(JSON.parse(json));
    if (json.length > MAX_FRAME_LENGTH) return bytes;
    cache.set(json, bytes);
    size += sizeOf(json, bytes);
    while (size > MAX_CACHED_BYTES) forgetOldest();
    return bytes;
  };
}

// V8 stores a text with one or two bytes per character.
function sizeOf(json: string, bytes: Buffer): number {
  return 2 * json.length + bytes.length;
}
