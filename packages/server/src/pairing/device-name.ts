/** Longest name that a device gets. A number may follow it. */
const MAX_LENGTH = 32;

/** Names that belong to others: the person at the terminal, and programs of the machine. */
const RESERVED = ["terminal", "local"];

/**
 * Makes a name for a device from the name that it asks for: with letters, digits and `. _ -` only, and different
 * from the names in `taken`. Pure.
 */
export function toDeviceName(wanted: string, taken: readonly string[]): string {
  const plain = wanted
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-")
    .replace(/^[^\p{L}\p{N}]+/u, "");
  // Letters are counted as a person counts them, so that no letter is cut in two.
  const base = [...plain].slice(0, MAX_LENGTH).join("").replace(/-+$/, "") || "device";
  const used = new Set([...taken, ...RESERVED].map((name) => name.toLowerCase()));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!used.has(name.toLowerCase())) return name;
  }
}
