import ipaddr from "ipaddr.js";

/** An IP address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** All addresses whose first `bits` bits equal those of `prefix`. */
export interface AddressRange {
  readonly prefix: Address;
  readonly bits: number;
}

/**
 * Parses an IP address. Returns undefined for any other text.
 *
 * Only the standard forms are accepted. ipaddr.js also accepts `0177.0.0.1`, `127.1`, `2130706433`
 * and zones, but operating systems disagree about the meaning of those forms.
 */
export function parseAddress(text: string): Address | undefined {
  if (!text.includes(":")) return parseIpv4(text);
  const native = toNativeIpv6(text);
  if (native === undefined || native.includes("%")) return undefined;
  return ipaddr.IPv6.isValid(native) ? ipaddr.IPv6.parse(native) : undefined;
}

/**
 * Parses a range such as `10.0.0.0/8`. A single address becomes a range of one address. Returns
 * undefined for any other text.
 */
export function parseRange(text: string): AddressRange | undefined {
  const [address = "", bits, ...more] = text.split("/");
  const prefix = parseAddress(address);
  if (prefix === undefined || more.length > 0) return undefined;
  const most = prefix.toByteArray().length * 8;
  if (bits === undefined) return { prefix, bits: most };
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > most) return undefined;
  return { prefix, bits: Number(bits) };
}

/** Returns true if an address is in a range. IPv4 addresses are never in IPv6 ranges, and vice versa. */
export function isInRange(address: Address, { prefix, bits }: AddressRange): boolean {
  return address.kind() === prefix.kind() && address.match(prefix, bits);
}

function parseIpv4(text: string): ipaddr.IPv4 | undefined {
  return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : undefined;
}

// Replaces an IPv4 address at the end by two hexadecimal groups: `::1.2.3.4` becomes `::102:304`.
// Otherwise ipaddr.js would parse `::1.2.3.4` as `::ffff:1.2.3.4`, and would accept octal numbers.
function toNativeIpv6(text: string): string | undefined {
  const dotted = /[^:]*\.[^:]*$/.exec(text)?.[0];
  if (dotted === undefined) return text;
  const bytes = parseIpv4(dotted)?.toByteArray();
  if (bytes === undefined) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const groups = [(a << 8) | b, (c << 8) | d].map((group) => group.toString(16));
  return text.slice(0, -dotted.length) + groups.join(":");
}
