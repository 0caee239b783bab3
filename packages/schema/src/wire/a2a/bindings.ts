/** The names of A2A's bindings that an agent card may offer, and of our own. */
export const bindings = {
  jsonRpc: "JSONRPC",
  rest: "HTTP+JSON",
  /** JSON-RPC frames over a WebSocket with the subprotocol {@link WEBSOCKET_SUBPROTOCOL}. */
  webSocket: "urn:dt:binding:websocket:v1",
} as const;

/** What a WebSocket client asks for that speaks JSON-RPC, many requests on one socket. */
export const WEBSOCKET_SUBPROTOCOL = "a2a.v1";

const TOKEN_PREFIX = "a2a.bearer.";

/**
 * A bearer token as an entry of a WebSocket's subprotocols, since a browser cannot set headers. An
 * entry may hold few characters, so the others are percent-encoded. It stands beside
 * {@link WEBSOCKET_SUBPROTOCOL}, which is the one that a server chooses.
 */
export function encodeTokenProtocol(token: string): string {
  const encoded = encodeURIComponent(token).replace(/\(/g, "%28").replace(/\)/g, "%29");
  return `${TOKEN_PREFIX}${encoded}`;
}

/** Inverse of {@link encodeTokenProtocol}; undefined where no entry holds a token that can be read. */
export function findTokenProtocol(protocols: readonly string[]): string | undefined {
  const entry = protocols.find((protocol) => protocol.startsWith(TOKEN_PREFIX));
  if (entry === undefined) return undefined;
  try {
    return decodeURIComponent(entry.slice(TOKEN_PREFIX.length)) || undefined;
  } catch {
    return undefined;
  }
}
