import { createHmac, randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";

/** Number of slots. It bounds the memory of all counts of addresses. */
const SLOTS = 16_384;

/**
 * Creates a function that maps addresses to a fixed number of slots. Addresses in one slot share their count. The
 * key is random, so that nobody can choose an address in the slot of somebody else.
 */
export function createAddressSlots(): (address: string | undefined) => string {
  const key = randomBytes(16);
  return (address = "") => {
    const digest = createHmac("sha256", key).update(toNetwork(address)).digest();
    return String(digest.readUInt32BE(0) % SLOTS);
  };
}

/** Returns the /64 network of an IPv6 address, because one customer usually has a whole /64. Returns IPv4 as it is. */
export function toNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("%")[0]?.split("::") ?? [];
  const groups = head.split(":").filter((group) => group !== "");
  const after = (tail ?? "").split(":").filter((group) => group !== "");
  // A dotted tail, as in `64:ff9b::192.0.2.1`, stands for two groups.
  const length = after.length + (after.at(-1)?.includes(".") === true ? 1 : 0);
  const zeros = tail === undefined ? 0 : 8 - groups.length - length;
  const all = [...groups, ...Array<string>(Math.max(0, zeros)).fill("0"), ...after];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}
