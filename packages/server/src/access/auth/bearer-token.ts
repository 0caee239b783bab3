import type { IncomingMessage } from "node:http";
import { findTokenProtocol } from "@dt/schema/wire";

/**
 * Finds the bearer token of a request; undefined if it has none. Browsers cannot set the headers of a WebSocket, so a
 * WebSocket may send its token as a subprotocol. A token in the URL is ignored, because URLs are logged. (RFC 6750, 2)
 */
export function findBearerToken({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  const [, token] = /^Bearer +([\x21-\x7e]+)$/i.exec(headers.authorization ?? "") ?? [];
  if (token !== undefined || headers.upgrade === undefined) return token;
  const offered = headers["sec-websocket-protocol"]?.split(",").map((name) => name.trim());
  return offered && findTokenProtocol(offered);
}
