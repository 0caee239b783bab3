import { createHash } from "node:crypto";

/** A change of a file's text. */
export interface FileTextChange {
  /** Absolute path. */
  readonly path: string;
  /** Text before the change; undefined if the file did not exist. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The edits that one session made, to distinguish them from changes by others. */
export interface OwnEdits {
  /** Records an edit that was made. */
  record(edit: FileTextChange): void;
  /** True if recorded edits, and no other changes, turned `before` into `after`. */
  hasMade(change: FileTextChange): boolean;
}

/**
 * Maximum number of remembered versions per file. One step of a turn edits a file far less often.
 */
const MAX_TEXTS = 100;

/** Creates an empty record. It stores hashes of the texts before and after each edit, not the texts. */
export function createOwnEdits(): OwnEdits {
  const chains = new Map<string, readonly string[]>();
  return {
    record({ path, before, after }) {
      const chain = chains.get(path);
      // If someone else wrote the file after the last recorded edit, earlier edits are forgotten.
      const start = chain?.at(-1) === hashOf(before) ? chain : [hashOf(before)];
      chains.set(path, [...start, hashOf(after)].slice(-MAX_TEXTS));
    },
    hasMade({ path, before, after }) {
      const chain = chains.get(path);
      return chain?.at(-1) === hashOf(after) && chain.includes(hashOf(before));
    },
  };
}

function hashOf(text: string | undefined): string {
  return text === undefined ? "none" : createHash("sha256").update(text).digest("hex");
}
