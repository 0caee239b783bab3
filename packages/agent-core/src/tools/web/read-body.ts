import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** The body of a response, up to a limit. */
export interface Body {
  readonly bytes: Buffer;
  /** True if the response has more bytes than `bytes` contains. */
  readonly isCut: boolean;
}

const DECOMPRESSORS: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Reads and decompresses a response. Stops after `maxBytes` decompressed bytes, because a small
 * response can decompress to a huge size.
 */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Body> {
  const decompress = DECOMPRESSORS[String(response.headers["content-encoding"]).toLowerCase()];
  const body: Readable = decompress === undefined ? response : response.pipe(decompress());
  // `pipe` does not forward errors of `response` to the decompressor.
  response.on("error", (error) => body.destroy(error));
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } finally {
    body.destroy();
    response.destroy();
  }
  const bytes = Buffer.concat(chunks);
  return { bytes: bytes.subarray(0, maxBytes), isCut: size > maxBytes };
}
