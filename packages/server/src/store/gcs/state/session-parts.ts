import type { CommitPart } from "./gcs-state.js";

/** Encodes commits as lines of JSON. Encoded segments can be joined by concatenation. */
export function encodeParts(parts: readonly CommitPart[]): string {
  return parts.map(({ events, journal }) => `${JSON.stringify({ events, journal })}\n`).join("");
}

/** Inverse of {@link encodeParts}. Throws if a line is not JSON. */
export function decodeParts(text: string): readonly CommitPart[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as CommitPart);
}
