import type { IncomingMessage } from "node:http";
import { isLoopbackAddress } from "@dt/schema/address";

/** Headers that a proxy adds: the request then comes from elsewhere, whatever its socket says. */
const FORWARDING_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
] as const;

/** Whether a request was sent on this machine: over loopback, and not by a proxy for someone else. */
export function isFromLoopback({ socket, headers }: IncomingMessage): boolean {
  if (FORWARDING_HEADERS.some((name) => headers[name] !== undefined)) return false;
  return isLoopbackAddress(socket.remoteAddress ?? "");
}
