import { createHash } from "node:crypto";

/** What became of the text of a file. */
export interface TextStep {
  /** The absolute path. */
  readonly path: string;
  /** Undefined where there was no file. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The edits that one session made, to tell them from those of anybody else. */
export interface OwnEdits {
  /** Takes note of an edit that was made. */
  note(edit: TextStep): void;
  /** Whether edits that were noted, and nothing else, made of one text the other. */
  hasMade(step: TextStep): boolean;
}

/** How many texts of a file are remembered: far more than one step edits it. */
const mostTexts = 100;

/** Remembers edits by the hashes of the texts that followed each other. */
export function createOwnEdits(): OwnEdits {
  const chains = new Map<string, readonly string[]>();
  return {
    note({ path, before, after }) {
      const chain = chains.get(path);
      // Where somebody else wrote in between, nothing before that counts.
      const start = chain?.at(-1) === hashOf(before) ? chain : [hashOf(before)];
      chains.set(path, [...start, hashOf(after)].slice(-mostTexts));
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
