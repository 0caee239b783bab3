/** What a file was before a turn touched it. */
export type FileBefore =
  /** `copy` names its content, `mode` its permissions. */
  | { readonly type: "file"; readonly copy: string; readonly mode: number }
  | { readonly type: "absent" }
  /** It was not kept, and cannot be put back. */
  | { readonly type: "skipped"; readonly reason: string };

/** One file of one turn, as the manifest holds it. */
export interface SavedFile {
  readonly turn: number;
  /** When it was saved, as an ISO string. */
  readonly at: string;
  /** Absolute, with every link resolved. */
  readonly path: string;
  readonly was: FileBefore;
}

/** The files that one turn touched, as they were before it. */
export interface Checkpoint {
  readonly turn: number;
  /** When the turn touched its first file, as an ISO string. */
  readonly at: string;
  readonly files: readonly Pick<SavedFile, "path" | "was">[];
}

/** What putting one file back does to it. */
export interface FileChange {
  readonly path: string;
  readonly type: "create" | "write" | "delete";
  /** What is there now. */
  readonly before?: Buffer;
  /** What will be there. */
  readonly after?: Buffer;
}

/** A file that stays as it is, and why. */
export interface LeftFile {
  readonly path: string;
  readonly reason: string;
}

/** What restoring to before a turn would change. */
export interface RestorePlan {
  readonly turn: number;
  /** Files that differ from what they were; in the order of their paths. */
  readonly changes: readonly FileChange[];
  /** Files that were touched but not kept. */
  readonly skipped: readonly LeftFile[];
}

/** What a restore did. */
export interface RestoreReport extends RestorePlan {
  /** Those of the changes that could not be made; the others were. */
  readonly failed: readonly LeftFile[];
}

/** Copies of what turns touched, so that it can be undone. Those of one session. */
export interface Checkpoints {
  /**
   * Keeps files as they are, or notes that they are absent, before a turn changes them. What the same
   * turn has saved already stays: a checkpoint is what was before the turn.
   */
  save(saving: { readonly turn: number; readonly paths: readonly string[] }): Promise<void>;
  /** Newest first. */
  list(): readonly Checkpoint[];
  /**
   * The files kept since a turn, which a restore may change, from what was noted of them then. Throws
   * {@link ToolError} where there is no checkpoint of that turn.
   */
  filesSince(turn: number): readonly string[];
  /** Looks at those files as they are now. */
  plan(turn: number): Promise<RestorePlan>;
  /**
   * Puts files back to what they were before a turn. What is there now is saved first, as a checkpoint of
   * the turn `during` which this happens, so that a restore can itself be undone. Throws {@link ToolError},
   * with nothing changed, where that cannot be done.
   */
  restore(turn: number, options: { readonly during: number }): Promise<RestoreReport>;
}
