/** Longest name that a device gets. A number may follow it. */
const MAX_LENGTH = 32;

/** Names that no device gets, because they mean the person at the terminal and the programs of the machine. */
const RESERVED = ["terminal", "local"];

/**
 * Converts the name that a device asks for to the name that it gets. The result has only letters, digits and `. _ -`,
 * and differs from all names in `taken`. Pure.
 */
export function toDeviceName(wanted: string, taken: readonly string[]): string {
  const plain = wanted
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-")
    .replace(/^[^\p{L}\p{N}]+/u, "");
  // The name is cut between code points, so that no character is cut in two.
  const base = [...plain].slice(0, MAX_LENGTH).join("").replace(/-+$/, "") || "device";
  const used = new Set([...taken, ...RESERVED].map((name) => name.toLowerCase()));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!used.has(name.toLowerCase())) return name;
  }
}
