import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { ProtocolError } from "@dt/schema";

/** Who may talk to the server from a browser, and under which names. */
export interface LoopbackGuardOptions {
  /** Host names, beside loopback's, that the server answers to. */
  readonly allowedHosts: readonly string[];
  /** Origins of web pages that may use it, e.g. `https://ide.example`. */
  readonly allowedOrigins: readonly string[];
}

/**
 * Refuses what a web page could send on its own: a request under a foreign name (DNS rebinding) or
 * from a page that nobody allowed. On every route and on the upgrade. (SEC-01)
 */
export function checkSource(request: IncomingMessage, options: LoopbackGuardOptions): void {
  const host = hostNameOf(request.headers.host);
  if (host === undefined || !(isLoopback(host) || options.allowedHosts.includes(host))) {
    throw new ProtocolError(
      "forbidden",
      "the Host header names a host that this server does not answer to",
    );
  }
  const { origin } = request.headers;
  if (origin !== undefined && !options.allowedOrigins.includes(origin)) {
    throw new ProtocolError("forbidden", "web pages of this origin may not use this server");
  }
}

/** Whether a name or address means this machine only. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (name === "localhost" || name === "::1") return true;
  return isIP(name) === 4 && name.startsWith("127.");
}

function hostNameOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::\d+)?$/.exec(header);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}
