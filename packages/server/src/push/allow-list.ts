import { BlockList, isIP } from "node:net";
import { SetupError } from "../errors/setup-error.js";

/** Whom pushes may reach although they are not on the public internet. */
export interface AllowList {
  hasHost(host: string): boolean;
  hasAddress(address: string): boolean;
}

/**
 * Reads a list of hosts (`hooks.internal`), addresses (`10.1.2.3`) and ranges (`10.0.0.0/8`); throws
 * {@link SetupError} that names an entry which is none of them.
 */
export function parseAllowList(entries: readonly string[]): AllowList {
  const addresses = new BlockList();
  const hosts = new Set<string>();
  for (const entry of entries) {
    const [address = "", bits, ...more] = entry.split("/");
    const family = isIP(address);
    if (family === 0) {
      if (bits !== undefined || !isHostName(entry)) throw unreadable(entry);
      hosts.add(entry.toLowerCase());
      continue;
    }
    const most = family === 4 ? 32 : 128;
    const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (more.length > 0 || !(length <= most)) throw unreadable(entry);
    addresses.addSubnet(address, length, familyName(family));
  }
  return {
    hasHost: (host) => hosts.has(host.toLowerCase()),
    // An IPv4 address that comes mapped into IPv6 is judged by the rules of IPv4.
    hasAddress: (address) => addresses.check(address, familyName(isIP(address))),
  };
}

function familyName(family: number): "ipv4" | "ipv6" {
  return family === 6 ? "ipv6" : "ipv4";
}

function isHostName(text: string): boolean {
  return /^(?!.*\.\.)[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(text) && !/^[\d.]+$/.test(text);
}

function unreadable(entry: string): SetupError {
  return new SetupError(
    `the allow list of pushes (DT_PUSH_ALLOW): expected a host, an address or a range such as 10.0.0.0/8, got ${entry}`,
  );
}
