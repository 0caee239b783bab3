import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import type { UnfinishedBytes } from "../access/limits/unfinished-bytes.js";

/** Maximum size of a frame's header: two bytes, a length of up to eight bytes, and a mask of four bytes. */
const MAX_HEAD_BYTES = 14;

/**
 * Counts the bytes of an incomplete message on a WebSocket. Such a message is a large frame that arrives slowly, or a
 * series of fragments without the last fragment. The library keeps both in memory.
 */
export function countUnfinished(
  ws: WebSocket,
  socket: Socket,
  { unfinished, drop }: { readonly unfinished: UnfinishedBytes; drop(): void },
): void {
  const message = unfinished.open(drop);
  let bytes = 0;
  /** Size of the chunk that is being read. When a message ends, at most this much of the next message is buffered. */
  let chunk = 0;

  function finish(frameBytes: number, rest: number): void {
    bytes = Math.max(0, Math.min(bytes - frameBytes, rest));
    message.set(bytes);
  }
  const onControl = (data: Buffer) => finish(data.length + MAX_HEAD_BYTES, bytes);

  // This listener runs before the library's, so a chunk is counted before its frames are emitted as messages.
  socket.prependListener("data", (data: Buffer) => {
    chunk = data.length;
    bytes += chunk;
    message.set(bytes);
  });
  ws.on("message", (data: RawData) => finish(lengthOf(data), chunk));
  ws.on("ping", onControl);
  ws.on("pong", onControl);
  ws.on("close", () => message.close());
}

function lengthOf(data: RawData): number {
  if (!Array.isArray(data)) return data.byteLength;
  return data.reduce((sum, part) => sum + part.byteLength, 0);
}
