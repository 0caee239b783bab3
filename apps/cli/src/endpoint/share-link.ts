import { isOwnMachine } from "./endpoint-options.js";

/** The addresses that a link may name. */
export interface LinkSource {
  /** Address of the endpoint, with a slash at the end. */
  readonly url: string;
  readonly publicUrl: string | undefined;
  /** Addresses of this machine, without loopback. */
  readonly addresses: readonly string[];
}

/** A link by which a device can be paired. */
export interface ShareLink {
  readonly url: string;
  /** True if only programs of this machine can use the link. */
  readonly isOnlyHere: boolean;
  /** Other addresses at which devices may reach the endpoint. */
  readonly otherHosts: readonly string[];
}

/** Hosts that stand for every address of the machine. */
const EVERYWHERE = ["0.0.0.0", "[::]"];

/**
 * Creates the link for a code. The code is after the `#`, because browsers do not send that part of an
 * address. So the code does not get into logs. Pure.
 */
export function createShareLink(
  { url, publicUrl, addresses }: LinkSource,
  code: string,
): ShareLink {
  const base = new URL(publicUrl ?? url);
  const isEverywhere = publicUrl === undefined && EVERYWHERE.includes(base.hostname);
  const [first, ...others] = isEverywhere ? addresses : [];
  if (first !== undefined) base.hostname = first;
  else if (isEverywhere) base.hostname = "127.0.0.1";
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  const link = new URL("join", base);
  link.hash = code;
  return { url: link.href, isOnlyHere: isOwnMachine(link.hostname), otherHosts: others };
}
