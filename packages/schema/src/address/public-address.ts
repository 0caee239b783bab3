import ipaddr from "ipaddr.js";
import {
  type Address,
  type AddressRange,
  isInRange,
  parseAddress,
  parseRange,
} from "./parse-address.js";

/**
 * Ranges outside the public internet: IANA's special-purpose registries, and one address of Azure.
 */
const RESERVED = parseRanges([
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier NAT
  "127.0.0.0/8", // this machine
  "168.63.129.16/32", // Azure's platform services
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
]);

/** Global unicast (RFC 4291). Link-local, private and multicast addresses are outside this range. */
const GLOBAL_UNICAST = parseRanges(["2000::/3"]);

const LOOPBACK = parseRanges(["127.0.0.0/8", "::1/128"]);

/** IPv6 ranges whose addresses embed an IPv4 address in their last bytes. */
const EMBEDDED_AT_END = parseRanges([
  "::ffff:0:0/96", // mapped (RFC 4291)
  "::/96", // compatible (RFC 4291)
  "64:ff9b::/96", // NAT64 (RFC 6052)
]);
/** IPv6 ranges whose addresses embed an IPv4 address after their first two bytes. */
const EMBEDDED_AFTER_TWO_BYTES = parseRanges(["2002::/16"]); // 6to4 (RFC 3056)

/**
 * Returns true if an address belongs to the public internet.
 *
 * Returns false for every other address: this machine, private networks, link-local addresses
 * (which include cloud metadata services), carrier NAT, multicast and reserved ranges. An IPv6
 * address that embeds an IPv4 address is judged by the IPv4 address.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && isPublic(address);
}

/**
 * Returns true for a loopback address: an address of 127.0.0.0/8, ::1, or an IPv6 address that
 * embeds an address of 127.0.0.0/8.
 */
export function isLoopbackAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  return isInAny(address, LOOPBACK) || isInAny(findEmbeddedIpv4(address) ?? address, LOOPBACK);
}

/** Returns true if a text is an IP address in one of the standard forms. */
export function isAddress(text: string): boolean {
  return parseAddress(text) !== undefined;
}

/** Returns true for `localhost` and names below it, which always mean this machine. (RFC 6761) */
export function isLocalName(host: string): boolean {
  return /(^|\.)localhost\.?$/i.test(host);
}

/** Returns the host of a URL without the brackets of an IPv6 address or the final dot of a name. */
export function hostOf({ hostname }: { readonly hostname: string }): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** Finds the IPv4 address that an IPv6 address embeds. */
export function findEmbeddedIpv4(address: Address): Address | undefined {
  const bytes = address.toByteArray();
  if (isInAny(address, EMBEDDED_AT_END)) return new ipaddr.IPv4(bytes.slice(12));
  if (isInAny(address, EMBEDDED_AFTER_TWO_BYTES)) return new ipaddr.IPv4(bytes.slice(2, 6));
  return undefined;
}

function isPublic(address: Address): boolean {
  const embedded = findEmbeddedIpv4(address);
  if (embedded !== undefined) return isPublic(embedded);
  if (address.kind() === "ipv6" && !isInAny(address, GLOBAL_UNICAST)) return false;
  return !isInAny(address, RESERVED);
}

function isInAny(address: Address, ranges: readonly AddressRange[]): boolean {
  return ranges.some((range) => isInRange(address, range));
}

function parseRanges(texts: readonly string[]): readonly AddressRange[] {
  return texts.map((text) => {
    const range = parseRange(text);
    if (range === undefined) throw new TypeError(`${text} is not a range of addresses`);
    return range;
  });
}
