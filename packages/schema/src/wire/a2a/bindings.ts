/** The names of A2A's bindings that an agent card may offer, and of our own. */
export const bindings = {
  jsonRpc: "JSONRPC",
  rest: "HTTP+JSON",
  /** JSON-RPC frames over a WebSocket with the subprotocol {@link WEBSOCKET_SUBPROTOCOL}. */
  webSocket: "urn:dt:binding:websocket:v1",
} as const;

/** What a WebSocket client asks for that speaks JSON-RPC, many requests on one socket. */
export const WEBSOCKET_SUBPROTOCOL = "a2a.v1";
