import { hasPrefix, parseAddress } from "./parse-address.js";
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

interface Range {
  readonly prefix: readonly number[];
  readonly bits: number;
}

/**
 * Reads a list of hosts (`hooks.internal`), addresses (`10.1.2.3`) and ranges (`10.0.0.0/8`). Pure.
 * Throws {@link AllowListError} for an entry that is none of them.
 */
export function parseAllowList(entries: readonly string[]): AllowList {
  const ranges: Range[] = [];
  const hosts = new Set<string>();
  for (const entry of entries) {
    const range = parseRange(entry);
    if (range !== undefined) ranges.push(range);
    else if (isHostName(entry)) hosts.add(entry.toLowerCase());
    else throw new AllowListError(entry);
  }
  const isListed = (bytes: readonly number[]) =>
    ranges.some(({ prefix, bits }) => hasPrefix(bytes, prefix, bits));
  return {
    hasHost: (host) => hosts.has(host.toLowerCase()),
    hasAddress(address) {
      const bytes = parseAddress(address);
      if (bytes === undefined) return false;
      const carried = findCarried(bytes);
      return isListed(bytes) || (carried !== undefined && isListed(carried));
    },
  };
}

function parseRange(entry: string): Range | undefined {
  const [address = "", bits, ...more] = entry.split("/");
  const prefix = parseAddress(address);
  if (prefix === undefined) return undefined;
  const most = prefix.length * 8;
  const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (more.length > 0 || !(length <= most)) throw new AllowListError(entry);
  return { prefix, bits: length };
}

function isHostName(text: string): boolean {
  return /^(?!.*\.\.)[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(text) && !/^[\d.]+$/.test(text);
}
