/** An IP address as its bytes, 4 or 16 of them; undefined for any other text, a zone included. Pure. */
export function parseAddress(text: string): readonly number[] | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

/** Whether an address begins with the first bits of another one of the same length. */
export function hasPrefix(
  address: readonly number[],
  prefix: readonly number[],
  bits: number,
): boolean {
  if (address.length !== prefix.length) return false;
  return prefix.every((byte, index) => {
    const unused = Math.min(8, Math.max(0, (index + 1) * 8 - bits));
    return byte >> unused === (address[index] ?? 0) >> unused;
  });
}

// Four decimal numbers and nothing else: what an operating system makes of `0177.1` differs.
function parseIpv4(text: string): readonly number[] | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) {
    return undefined;
  }
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function parseIpv6(text: string): readonly number[] | undefined {
  const [head = "", tail, ...more] = text.split("::");
  if (more.length > 0) return undefined;
  const first = parseGroups(head, tail === undefined);
  const last = parseGroups(tail ?? "", true);
  if (first === undefined || last === undefined) return undefined;
  const missing = 16 - first.length - last.length;
  // "::" stands for at least one group.
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  return [...first, ...Array<number>(missing).fill(0), ...last];
}

function parseGroups(text: string, mayEndInIpv4: boolean): readonly number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const groups = text.split(":");
  for (const [index, group] of groups.entries()) {
    const isLast = index === groups.length - 1;
    const carried = mayEndInIpv4 && isLast ? parseIpv4(group) : undefined;
    if (carried !== undefined) {
      bytes.push(...carried);
    } else if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    } else {
      return undefined;
    }
  }
  return bytes;
}
