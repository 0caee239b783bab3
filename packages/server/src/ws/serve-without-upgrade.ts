import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

/** Whether a request wants to become a WebSocket, and not something else that we do not speak. */
export function wantsSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

/**
 * Serves a request as if it had not asked for an upgrade: whoever offers HTTP/2 along the way, as some
 * clients always do, is answered in HTTP/1.1. (RFC 9110, 7.8)
 *
 * Node hands over every such request once anyone listens for upgrades, its body unread. So it is read
 * again from its first line, without the offer.
 */
export function serveWithoutUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  server: Server,
): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    if (/^(upgrade|http2-settings|connection)$/i.test(name)) continue;
    lines.push(`${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}
