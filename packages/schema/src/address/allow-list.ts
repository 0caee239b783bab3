import {
  type Address,
  type AddressRange,
  isInRange,
  parseAddress,
  parseRange,
} from "./parse-address.js";
import { findCarried } from "./public-address.js";

/** Hosts and addresses that may be reached although they are not on the public internet. */
export interface AllowList {
  /** Whether a host is listed by its whole name, in any case. */
  hasHost(host: string): boolean;
  /** Whether an address is listed; an IPv6 form of an IPv4 address also by the one it carries. */
  hasAddress(address: string): boolean;
}

/** A list with an entry that is no host, address or range. */
export class AllowListError extends Error {
  override readonly name = "AllowListError";

  constructor(entry: string) {
    super(`expected a host, an address or a range such as 10.0.0.0/8, got ${entry}`);
  }
}

/**
 * Reads a list of hosts (`hooks.internal`), addresses (`10.1.2.3`) and ranges (`10.0.0.0/8`). Pure.
 * Throws {@link AllowListError} for an entry that is none of them.
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
      const carried = findCarried(address);
      return isListed(address) || (carried !== undefined && isListed(carried));
    },
  };
}

function isHostName(text: string): boolean {
  return /^(?!.*\.\.)[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(text) && !/^[\d.]+$/.test(text);
}
