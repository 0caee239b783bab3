import type { WebSocket } from "ws";

/**
 * Returns the bytes of the current frame that the system has not accepted yet. The number decreases only while the
 * peer reads; `bufferedAmount` counts a frame until its last byte is sent.
 *
 * Node has the number only in an internal field, which its socket timeouts use. If the field is removed, this
 * returns 0, and only pongs show that a peer is alive.
 */
export function unsentBytes(ws: WebSocket): number {
  const { _socket: socket } = ws as unknown as Insides;
  return socket?._handle?.writeQueueSize ?? 0;
}

interface Insides {
  readonly _socket?: { readonly _handle?: { readonly writeQueueSize?: number } | null } | null;
}
