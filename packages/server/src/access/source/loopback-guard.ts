import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { ProtocolError } from "@dt/schema";

/** Hosts and origins that a server accepts. */
export interface LoopbackGuardOptions {
  /** Host names that the server accepts in addition to loopback. */
  readonly allowedHosts: readonly string[];
  /** True if the `Host` header may be any IP address. Default: only addresses of loopback. */
  readonly acceptsAddresses?: boolean;
  /** Origins of web pages that may use the server, e.g. `https://ide.example`. */
  readonly allowedOrigins: readonly string[];
  /** Called with each request that is refused, and the reason. */
  onRefused?(request: GuardedRequest, reason: unknown): void;
  /** Set if the server has pages of its own. They may use the server too. */
  readonly ownPages?: OwnPages;
}

/** The origins of a server's own pages: its scheme with any accepted host, and its public origin. */
export interface OwnPages {
  readonly scheme: "http" | "https";
  readonly publicOrigin?: string;
}

/** The parts of a request that the guard uses. */
export type GuardedRequest = Pick<IncomingMessage, "headers"> &
  Partial<Pick<IncomingMessage, "socket">>;

/**
 * Refuses a request whose `Host` or `Origin` header is not allowed. A web page could send such a request to this
 * machine; a foreign `Host` is a sign of DNS rebinding. (SEC-01)
 */
export function checkSource(request: GuardedRequest, options: LoopbackGuardOptions): void {
  try {
    checkHeaders(request, options);
  } catch (reason) {
    options.onRefused?.(request, reason);
    throw reason;
  }
}

function checkHeaders(request: GuardedRequest, options: LoopbackGuardOptions): void {
  const host = hostNameOf(request.headers.host);
  if (host === undefined || !isServed(host, options)) {
    throw new ProtocolError(
      "forbidden",
      "the Host header names a host that this server does not serve; connect to 127.0.0.1 or localhost, or add the name to DT_ALLOWED_HOSTS of dt-server, or to allowedHosts of createAgentServer",
    );
  }
  const { origin } = request.headers;
  if (origin !== undefined && !isAllowedOrigin(origin, request.headers.host, options)) {
    throw new ProtocolError(
      "forbidden",
      "web pages of this origin may not use this server; the operator can add the origin to DT_ALLOWED_ORIGINS of dt-server, or to allowedOrigins of createAgentServer",
    );
  }
}

// A page with the host and port of the request is the server's own: the `Host` header was checked before, and
// no foreign page has the same host and port as this server.
function isAllowedOrigin(
  origin: string,
  host: string | undefined,
  { allowedOrigins, ownPages }: LoopbackGuardOptions,
): boolean {
  if (allowedOrigins.includes(origin)) return true;
  if (ownPages === undefined) return false;
  const { scheme, publicOrigin } = ownPages;
  return origin === publicOrigin || origin === `${scheme}://${host?.toLowerCase()}`;
}

function isServed(host: string, { allowedHosts, acceptsAddresses }: LoopbackGuardOptions): boolean {
  if (isLoopback(host) || allowedHosts.includes(host)) return true;
  return acceptsAddresses === true && isIP(host) !== 0;
}

/** Returns true if a name or address means this machine. */
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
