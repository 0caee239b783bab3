import { randomInt } from "node:crypto";
import { digestSecret, hasDigest } from "../access/auth/token-format.js";

/** Digits and capital letters without I, L, O and U, which a person could mistake. (Crockford's base 32) */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 10;
const GROUP = 5;
/** Letters that people type instead of a digit. */
const MISTAKEN: Readonly<Record<string, string>> = { I: "1", L: "1", O: "0" };

/** Creates a code of 50 random bits that a person can type, such as `4KZ7Q-9M2XB`. */
export function createPairingCode(): string {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${letters.slice(0, GROUP).join("")}-${letters.slice(GROUP).join("")}`;
}

/** Computes the digest of a code. Case, spaces, hyphens and mistaken letters do not change the digest. */
export function digestCode(code: string): string {
  return digestSecret(normalizeCode(code));
}

/** Compares a code with a digest, in constant time, so that the duration reveals nothing about them. */
export function isCode(code: string, digest: string): boolean {
  return hasDigest(normalizeCode(code), digest);
}

function normalizeCode(code: string): string {
  return code
    .toUpperCase()
    .replace(/[\s-]/g, "")
    .replace(/[ILO]/g, (letter) => MISTAKEN[letter] ?? letter);
}
