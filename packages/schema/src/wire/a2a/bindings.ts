/** Names of A2A's bindings and of our own binding, as an agent card contains them. */
export const BINDINGS = {
  jsonRpc: "JSONRPC",
  rest: "HTTP+JSON",
  grpc: "GRPC",
  /** JSON-RPC frames over a WebSocket with one of the {@link WEBSOCKET_SUBPROTOCOLS}. */
  webSocket: "urn:dt:binding:websocket:v1",
} as const;

/**
 * Subprotocol of a public proposal, whose control frames differ from ours. Under this name, our server
 * sends the end of a stream in both forms, ours and the proposal's, and accepts a cancel in either form.
 * Our own subprotocol had this name in the past, so the server cannot know which form a client expects.
 */
export const PROPOSED_SUBPROTOCOL = "a2a.v1";

/**
 * Subprotocols of JSON-RPC over a WebSocket, with many requests on one socket. The first one is
 * ours, and is preferred.
 */
export const WEBSOCKET_SUBPROTOCOLS: readonly string[] = ["dt.a2a.v1", PROPOSED_SUBPROTOCOL];

const TOKEN_PREFIX = "a2a.bearer.";

/**
 * Encodes a bearer token as an entry of a WebSocket's subprotocols, because a browser cannot set
 * headers. An entry allows few characters, so all others are percent-encoded. The client also sends
 * one of the {@link WEBSOCKET_SUBPROTOCOLS}, which the server selects.
 */
export function encodeTokenProtocol(token: string): string {
  const encoded = encodeURIComponent(token).replace(/\(/g, "%28").replace(/\)/g, "%29");
  return `${TOKEN_PREFIX}${encoded}`;
}

/**
 * Finds the entry of {@link encodeTokenProtocol} among a WebSocket's subprotocols, and decodes its
 * token. Returns undefined if there is no such entry, or if its token is empty or badly encoded.
 */
export function findTokenProtocol(protocols: readonly string[]): string | undefined {
  const entry = protocols.find((protocol) => protocol.startsWith(TOKEN_PREFIX));
  if (entry === undefined) return undefined;
  try {
    return decodeURIComponent(entry.slice(TOKEN_PREFIX.length)) || undefined;
  } catch {
    return undefined;
  }
}
