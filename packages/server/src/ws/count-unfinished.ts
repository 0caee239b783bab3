import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import type { UnfinishedBytes } from "../access/limits/unfinished-bytes.js";

/** Head of a frame that a client sends: two bytes, a length of up to eight, and a mask of four. */
const MAX_HEAD_BYTES = 14;

/**
 * Counts what a WebSocket has received of a message that is not whole: a large frame that comes slowly,
 * or fragments without a last one. The library keeps both.
 */
export function countUnfinished(
  ws: WebSocket,
  socket: Socket,
  { unfinished, drop }: { readonly unfinished: UnfinishedBytes; drop(): void },
): void {
  const message = unfinished.open(drop);
  let bytes = 0;
  /** Bytes of the piece that is being read: all that can be left when a frame in it ends. */
  let piece = 0;

  function finish(frameBytes: number, rest: number): void {
    bytes = Math.max(0, Math.min(bytes - frameBytes, rest));
    message.set(bytes);
  }
  const onControl = (data: Buffer) => finish(data.length + MAX_HEAD_BYTES, bytes);

  // Before the library reads the piece, so that its events come after.
  socket.prependListener("data", (data: Buffer) => {
    piece = data.length;
    bytes += piece;
    message.set(bytes);
  });
  ws.on("message", (data: RawData) => finish(lengthOf(data), piece));
  ws.on("ping", onControl);
  ws.on("pong", onControl);
  ws.on("close", () => message.close());
}

function lengthOf(data: RawData): number {
  if (!Array.isArray(data)) return data.byteLength;
  return data.reduce((sum, part) => sum + part.byteLength, 0);
}
