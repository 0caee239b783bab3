import type { IncomingMessage } from "node:http";
import { isLoopbackAddress } from "@dt/schema/address";

/** Headers that a proxy adds. A request with one of them may come from another machine. */
const FORWARDING_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
] as const;

/** Returns true if a request was sent on this machine: over loopback, and not through a proxy. */
export function isFromLoopback({ socket, headers }: IncomingMessage): boolean {
  if (FORWARDING_HEADERS.some((name) => headers[name] !== undefined)) return false;
  return isLoopbackAddress(socket.remoteAddress ?? "");
}
