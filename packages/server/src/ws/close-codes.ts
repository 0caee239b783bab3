/** Codes with which the server closes a socket. The library sends 1009 for a frame that is too large. */
export const CLOSE_CODES = {
  /** The server is shutting down; the client may connect again later. */
  goingAway: 1001,
  /** The client sent a binary frame. */
  notText: 1003,
  /** The session's events cannot be sent over JSON-RPC, for example because the client's cursor is wrong. */
  policy: 1008,
  /** The session was closed, or its events cannot be sent as guide frames; the client may connect again. */
  sessionClosed: 1012,
  /** The client sent a frame that is not JSON. */
  badFrame: 4400,
  /** The client's token has expired or was revoked; the client may connect again with another token. */
  unauthenticated: 4401,
} as const;
