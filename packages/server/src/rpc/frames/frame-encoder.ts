import type { StreamFrame } from "@dt/schema/wire";

/** Maximum total size of the cache: the texts of frames and their encoded results. */
const MAX_CACHED_BYTES = 2 * 1024 * 1024;
/** Maximum length of the text of a cached frame. Longer frames are rare. */
const MAX_FRAME_LENGTH = 64 * 1024;

/**
 * Creates the encoder of all streams of a binding. Its input is the text of a frame, which all subscribers share. The
 * results for the latest frames are cached, so that a frame is encoded once for all subscribers that are not far behind.
 */
export function createFrameEncoder<TEncoded extends Buffer | string>(
  encodeResult: (json: unknown) => TEncoded,
): (frame: Pick<StreamFrame, "json">) => TEncoded {
  const cache = new Map<string, TEncoded>();
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
    const encoded = encodeResult(JSON.parse(json));
    if (json.length > MAX_FRAME_LENGTH) return encoded;
    cache.set(json, encoded);
    size += sizeOf(json, encoded);
    while (size > MAX_CACHED_BYTES) forgetOldest();
    return encoded;
  };
}

// V8 stores a text with one or two bytes per character.
function sizeOf(json: string, encoded: Buffer | string): number {
  return 2 * json.length + (typeof encoded === "string" ? 2 : 1) * encoded.length;
}
