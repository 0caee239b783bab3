/** Why a socket was closed by us. 1009, a frame over the limit, is the WebSocket library's own. */
export const closeCodes = {
  /** The server is shutting down: connect again later. */
  goingAway: 1001,
  /** Only text frames are spoken here. */
  notText: 1003,
  /** What the client may do has changed, or it does not keep the rules. */
  policy: 1008,
  /** The session that the socket watched was closed: connect again. */
  sessionClosed: 1012,
  /** A frame that is not JSON: nothing after it can be trusted. */
  badFrame: 4400,
} as const;
