import type { WebSocket } from "ws";

/**
 * Returns the number of bytes that the operating system has not accepted yet. The number decreases only while the
 * client reads. `bufferedAmount` cannot be used, because it counts a whole frame until its last byte is sent.
 *
 * Node has the number only in an internal field. If the field is missing, this function returns 0. Then
 * only pongs and messages show that a client is alive.
 */
export function unsentBytes(ws: WebSocket): number {
  const { _socket: socket } = ws as unknown as Insides;
  return socket?._handle?.writeQueueSize ?? 0;
}

interface Insides {
  readonly _socket?: { readonly _handle?: { readonly writeQueueSize?: number } | null } | null;
}
