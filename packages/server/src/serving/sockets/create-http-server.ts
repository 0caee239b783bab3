import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { Socket } from "node:net";
import { TLS_OPTIONS } from "../../access/source/tls-options.js";
import type { TlsContent } from "./tls-files.js";

/** Maximum number of bytes that a socket buffers. A client that never reads costs this much memory. */
const SOCKET_BYTES = 128 * 1024;

/**
 * Time for which an idle connection stays open. Node's default of 5 s breaks clients that reuse their
 * connection after a pause, and proxies that keep connections for a minute.
 */
const KEEP_ALIVE_MS = 75_000;

/**
 * Creates a server for HTTP, or for HTTPS if `tls` is given. `onSocket` gets each new socket; with TLS, this is the
 * decrypting socket, as in `request.socket`.
 */
export function createHttpServer(
  tls: TlsContent | undefined,
  { onRequest, onSocket }: { onRequest: RequestListener; onSocket(socket: Socket): void },
): Server {
  const settings = { highWaterMark: SOCKET_BYTES, keepAliveTimeout: KEEP_ALIVE_MS };
  if (tls === undefined) return createServer(settings, onRequest).on("connection", onSocket);
  const options: ServerOptions = {
    ...settings,
    ...TLS_OPTIONS,
    ...tls,
    ALPNProtocols: ["http/1.1"],
  };
  // Node declares no common type, but a server with TLS has all methods and events of a server without TLS.
  return createTlsServer(options, onRequest).on("secureConnection", onSocket) as unknown as Server;
}
