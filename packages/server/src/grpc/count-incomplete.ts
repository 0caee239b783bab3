import { constants, type ServerHttp2Stream } from "node:http2";
import type { ServerInterceptingCallInterface } from "@grpc/grpc-js";
import type { UnfinishedBytes } from "../access/limits/unfinished-bytes.js";

/** Largest factor by which a message can grow when the library decompresses it. */
const MAX_EXPANSION = 1_000;
/** First byte of a message that is compressed. (gRPC over HTTP/2, "Compressed-Flag") */
const COMPRESSED = 1;

/**
 * Counts the bytes of a call's message until the message is complete, because the library buffers them. A compressed
 * message counts with its largest possible size. If all incomplete messages together are too large, the largest one
 * is dropped. Call the returned function when the message is complete.
 */
export function countIncomplete(
  call: ServerInterceptingCallInterface,
  { unfinished, maxBytes }: { readonly unfinished: UnfinishedBytes; readonly maxBytes: number },
): () => void {
  const stream = streamOf(call);
  const message = unfinished.open(() => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM));
  let received = 0;
  let weight = 1;
  stream.prependListener("data", (data: Buffer) => {
    if (received === 0 && data[0] === COMPRESSED) weight = MAX_EXPANSION;
    received += data.length * weight;
    message.set(Math.min(received, maxBytes));
  });
  return message.close;
}

// Returns the HTTP/2 stream of a call, from a private field. The library has no public way to see the bytes
// of a message before the message is complete. The version of the library is pinned, and a test fails if
// the field goes away.
function streamOf(call: ServerInterceptingCallInterface): ServerHttp2Stream {
  return (call as unknown as { readonly stream: ServerHttp2Stream }).stream;
}
