import {
  type Address,
  type AddressRange,
  isInRange,
  parseAddress,
  parseRange,
} from "./parse-address.js";
import { findEmbeddedIpv4 } from "./public-address.js";

/** Hosts and addresses that may be reached although they are not on the public internet. */
export interface AllowList {
  /** Returns true if the list contains the whole name of the host, in upper or lower case. */
  hasHost(host: string): boolean;
  /**
   * Returns true if an entry contains the address. For an IPv6 address that embeds an IPv4 address,
   * an entry that contains the IPv4 address is enough.
   */
  hasAddress(address: string): boolean;
}

/** Thrown if a list has an entry that is not a host, an address or a range. */
export class AllowListError extends Error {
  override readonly name = "AllowListError";

  constructor(entry: string) {
    super(`expected a host, an address or a range such as 10.0.0.0/8, got ${entry}`);
  }
}

/**
 * Parses a list of hosts (`hooks.internal`), addresses (`10.1.2.3`) and ranges (`10.0.0.0/8`).
 * Throws {@link AllowListError} for any other entry.
 */
export function parseAllowList(entries: readonly string[]): AllowList {
  const ranges: AddressRange[] = [];
  const hosts = new Set<string>();
  for (const entry of entries) {
    const range = parseRange(entry);
    if (range !== undefined) ranges.push(range);
    else if (isHostName(entry)) hosts.add(entry.toLowerCase());
    else throw new AllowListError(entry);
  }
  const isListed = (address: Address) => ranges.some((range) => isInRange(address, range));
  return {
    hasHost: (host) => hosts.has(host.toLowerCase()),
    hasAddress(text) {
      const address = parseAddress(text);
      if (address === undefined) return false;
      const embedded = findEmbeddedIpv4(address);
      return isListed(address) || (embedded !== undefined && isListed(embedded));
    },
  };
}

function isHostName(text: string): boolean {
  return /^(?!.*\.\.)[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(text) && !/^[\d.]+$/.test(text);
}
