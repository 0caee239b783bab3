import { MAX_JSON_DEPTH } from "@dt/schema";

/** Limits of one message of a server. */
export interface MessageLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** Maximum number of lists, objects and their items. Each costs time and memory beyond its bytes. */
  readonly maxValues: number;
  /** Number of bytes after which a message is considered endless and its connection is closed. */
  readonly maxSkippedBytes: number;
}

/** Limits that allow a large image, and far more values than a model can read. */
export const DEFAULT_MESSAGE_LIMITS: MessageLimits = {
  maxBytes: 32 * 1024 * 1024,
  maxDepth: MAX_JSON_DEPTH,
  maxValues: 100_000,
  maxSkippedBytes: 64 * 1024 * 1024,
};
