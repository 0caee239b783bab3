import { MAX_JSON_DEPTH } from "@dt/schema";

/** How large one message of a server may be. */
export interface MessageLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** Lists, objects and what is in them; each costs time and memory beyond its bytes. */
  readonly maxValues: number;
  /** A message that goes on for so long has no end, and nothing behind it will come. */
  readonly maxSkippedBytes: number;
}

/** Room for a large image; far more values than a model can read. */
export const defaultMessageLimits: MessageLimits = {
  maxBytes: 32 * 1024 * 1024,
  maxDepth: MAX_JSON_DEPTH,
  maxValues: 100_000,
  maxSkippedBytes: 64 * 1024 * 1024,
};
