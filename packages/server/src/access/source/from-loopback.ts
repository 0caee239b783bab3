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
  "cf-connecting-ip",
  "fastly-client-ip",
  "true-client-ip",
  "x-client-ip",
  "x-cluster-client-ip",
] as const;

/** Returns true if a request was sent on this machine: over loopback, and not through a proxy. */
export function isFromLoopback(request: IncomingMessage): boolean {
  return isDirect(request) && isLoopbackAddress(request.socket.remoteAddress ?? "");
}

/**
 * Returns true if a request was sent on this machine, over any of its addresses, and not through a proxy. If a program
 * connects to an address of its own machine, both ends of the connection have this address.
 */
export function isFromThisMachine(request: IncomingMessage): boolean {
  const { remoteAddress, localAddress } = request.socket;
  const hasOwnAddress = remoteAddress !== undefined && remoteAddress === localAddress;
  return isFromLoopback(request) || (isDirect(request) && hasOwnAddress);
}

function isDirect({ headers }: IncomingMessage): boolean {
  return FORWARDING_HEADERS.every((name) => headers[name] === undefined);
}
