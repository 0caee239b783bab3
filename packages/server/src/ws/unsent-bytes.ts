import type { WebSocket } from "ws";

/**
 * How much of the frame that is being written the system has not taken yet: it moves only while the peer
 * reads. In `bufferedAmount` a frame counts whole until its last byte has left.
 *
 * Node keeps the number where its own socket timeouts look for progress, and shows it nowhere else.
 * Should it go from there, nothing moves, and only pongs count.
 */
export function unsentBytes(ws: WebSocket): number {
  const { _socket: socket } = ws as unknown as Insides;
  return socket?._handle?.writeQueueSize ?? 0;
}

interface Insides {
  readonly _socket?: { readonly _handle?: { readonly writeQueueSize?: number } | null } | null;
}
