import ipaddr from "ipaddr.js";

/**
 * Whether an address belongs to the public internet. Pure.
 *
 * Everything else is refused: this machine, private networks, link-local addresses (those of cloud
 * metadata services among them), carrier NAT, multicast, reserved ranges, and IPv6 forms that carry
 * an IPv4 address, judged by the one they carry.
 */
export function isPublicAddress(address: string): boolean {
  // A zone (`fe80::1%eth0`) only makes sense on a local link.
  if (!ipaddr.isValid(address) || address.includes("%")) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === "ipv4") return parsed.range() === "unicast";
  const carried = findCarriedIpv4(parsed as ipaddr.IPv6);
  return carried === undefined ? isPublicIpv6(parsed as ipaddr.IPv6) : isPublicAddress(carried);
}

function isPublicIpv6(address: ipaddr.IPv6): boolean {
  // Global unicast is 2000::/3 (RFC 4291); ranges that are not assigned yet lie outside of it.
  return address.range() === "unicast" && address.match(ipaddr.IPv6.parse("2000::"), 3);
}

/** The IPv4 address inside a mapped, compatible, NAT64 (RFC 6052) or 6to4 (RFC 3056) address. */
function findCarriedIpv4(address: ipaddr.IPv6): string | undefined {
  const bytes = address.toByteArray();
  const last = () => bytes.slice(12).join(".");
  if (address.isIPv4MappedAddress()) return last();
  if (address.match(ipaddr.IPv6.parse("64:ff9b::"), 96)) return last();
  if (address.match(ipaddr.IPv6.parse("2002::"), 16)) return bytes.slice(2, 6).join(".");
  return address.match(ipaddr.IPv6.parse("::"), 96) ? last() : undefined;
}
