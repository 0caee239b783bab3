import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { Server as TlsServer } from "node:tls";

/** Returns true if a request asks for an upgrade to WebSocket. */
export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

/**
 * Serves a request as if it had no upgrade header. Some clients always offer an upgrade to HTTP/2, and accept an answer
 * in HTTP/1.1. (RFC 9110, 7.8)
 *
 * Node emits `upgrade` for every such request, before its body is read. This function therefore puts the request back
 * into the socket, without the upgrade header, and Node parses it again.
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
  server.emit(server instanceof TlsServer ? "secureConnection" : "connection", socket);
}
