import { hasPrefix, parseAddress } from "./parse-address.js";

/** Ranges that do not lead to the public internet: IANA's special-purpose registries, and one more. */
const reserved: readonly string[] = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier NAT
  "127.0.0.0/8", // this machine
  "168.63.129.16/32", // the platform of Azure, inside each of its machines
  "169.254.0.0/16", // link-local, cloud metadata
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // relays of 6to4
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
  "2001::/23", // protocol assignments: Teredo, benchmarks, ORCHID
  "2001:db8::/32", // documentation
  "2620:4f:8000::/48", // AS112
  "3fff::/20", // documentation
];

/** Global unicast (RFC 4291): link-local, private, multicast and unassigned lie outside of it. */
const globalUnicast = "2000::/3";

/** IPv6 addresses that carry an IPv4 address, and after how many bytes it stands. */
const carriers: readonly (readonly [range: string, offset: number])[] = [
  ["::ffff:0:0/96", 12], // mapped (RFC 4291)
  ["::/96", 12], // compatible (RFC 4291)
  ["64:ff9b::/96", 12], // NAT64 (RFC 6052)
  ["2002::/16", 2], // 6to4 (RFC 3056)
];

/**
 * Whether an address belongs to the public internet. Pure.
 *
 * Everything else is refused: this machine, private networks, link-local addresses (those of cloud
 * metadata services among them), carrier NAT, multicast, reserved ranges, and IPv6 forms that carry
 * an IPv4 address, judged by the one they carry.
 */
export function isPublicAddress(address: string): boolean {
  const bytes = parseAddress(address);
  return bytes !== undefined && isPublic(bytes);
}

/** Whether an address is this machine's own: 127.0.0.0/8, ::1, or an IPv6 form of the first. Pure. */
export function isLoopbackAddress(address: string): boolean {
  const bytes = parseAddress(address);
  if (bytes === undefined) return false;
  return liesIn(bytes, "::1/128") || liesIn(findCarried(bytes) ?? bytes, "127.0.0.0/8");
}

/** Whether a name means this machine whatever a name service says. (RFC 6761) */
export function isLocalName(host: string): boolean {
  return /(^|\.)localhost\.?$/i.test(host);
}

/** The IPv4 address that an IPv6 address carries; undefined if it carries none. */
export function findCarried(bytes: readonly number[]): readonly number[] | undefined {
  const [, offset] = carriers.find(([range]) => liesIn(bytes, range)) ?? [];
  return offset === undefined ? undefined : bytes.slice(offset, offset + 4);
}

function isPublic(bytes: readonly number[]): boolean {
  const carried = findCarried(bytes);
  if (carried !== undefined) return isPublic(carried);
  if (bytes.length === 16 && !liesIn(bytes, globalUnicast)) return false;
  return !reserved.some((range) => liesIn(bytes, range));
}

function liesIn(bytes: readonly number[], range: string): boolean {
  const [prefix = "", bits] = range.split("/");
  return hasPrefix(bytes, parseAddress(prefix) ?? [], Number(bits));
}
