import { stripVTControlCharacters } from "node:util";

/** The end of what a process writes to stderr. */
export interface ErrorTail {
  add(chunk: Buffer): void;
  /** Returns the last lines, without secrets and control characters. */
  text(): string;
}

/** Maximum number of bytes that are kept. */
const MAX_BYTES = 8_000;
const MAX_LINES = 5;
const MAX_LENGTH = 600;
/** Shorter values are too common in ordinary text to be replaced. */
const MIN_SECRET_LENGTH = 6;

/** Creates an empty tail. Values of `secrets` are replaced in its text. */
export function createErrorTail(secrets: readonly string[]): ErrorTail {
  let kept = Buffer.alloc(0);
  return {
    add(chunk) {
      kept = Buffer.concat([kept, chunk.subarray(-MAX_BYTES)]).subarray(-MAX_BYTES);
    },
    text() {
      const hidden = secrets
        .filter(({ length }) => length >= MIN_SECRET_LENGTH)
        .reduce((text, secret) => text.replaceAll(secret, "…"), kept.toString("utf8"));
      const lines = stripVTControlCharacters(hidden)
        .split(/[\r\n]+/)
        .map((line) => line.trim())
        .filter((line) => line !== "");
      return lines.slice(-MAX_LINES).join(" | ").slice(-MAX_LENGTH);
    },
  };
}
