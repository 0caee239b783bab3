/**
 * Members of a WebSocket that this client uses. The platform's WebSocket and the WebSocket of the package
 * `ws` have these members.
 */
export interface WebSocketLike {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

/** Constructor of a socket, such as the platform's `WebSocket` or the `WebSocket` of the package `ws`. */
export type WebSocketConstructor = new (
  url: string,
  protocols?: string | string[],
) => WebSocketLike;

/** Finds the platform's WebSocket. Node has one since version 22. */
export function findWebSocket(): WebSocketConstructor | undefined {
  return (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
}
