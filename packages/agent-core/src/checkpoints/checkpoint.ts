/** State of a file before a turn changed it. */
export type FileBefore =
  /** `copy` is the name of the content in the copy store. `mode` contains the permissions of the file. */
  | { readonly type: "file"; readonly copy: string; readonly mode: number }
  | { readonly type: "absent" }
  /** The file was not saved and cannot be restored. */
  | { readonly type: "skipped"; readonly reason: string };

/** One saved file of one turn, as the manifest stores it. */
export interface SavedFile {
  readonly turn: number;
  /** Time at which the file was saved, in ISO format. */
  readonly at: string;
  /** Absolute path, with all links resolved. */
  readonly path: string;
  readonly was: FileBefore;
}

/** The files that one turn changed, in their state before the turn. */
export interface Checkpoint {
  readonly turn: number;
  /** Time at which the turn saved its first file, in ISO format. */
  readonly at: string;
  readonly files: readonly Pick<SavedFile, "path" | "was">[];
}

/** The change that a restore makes to one file. */
export interface FileChange {
  readonly path: string;
  readonly type: "create" | "write" | "delete";
  /** Current content. */
  readonly before?: Buffer;
  /** Content after the restore. */
  readonly after?: Buffer;
}

/** A file that is not restored, and the reason. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

/** The changes that a restore would make. */
export interface RestorePlan {
  /** The restore returns to the state before this turn. */
  readonly turn: number;
  /** Files that differ from their saved state, sorted by path. */
  readonly changes: readonly FileChange[];
  /** Files without a usable copy, and files whose current content cannot be read. */
  readonly skipped: readonly SkippedFile[];
}

/** The outcome of a restore. */
export interface RestoreReport extends RestorePlan {
  /** Files whose change failed. All other changes were made. */
  readonly failed: readonly SkippedFile[];
}

/** Returns the checkpoints of a session; opens them at the first call. */
export type CheckpointSource = () => Promise<Checkpoints>;

/** Copies of the files that the turns of one session changed, so that the changes can be undone. */
export interface Checkpoints {
  /**
   * Saves files before a turn changes them, or records that they do not exist. A file that the same turn
   * has saved already is not saved again, because a checkpoint is the state before the turn.
   */
  save(saving: { readonly turn: number; readonly paths: readonly string[] }): Promise<void>;
  /** Lists the checkpoints, newest first. */
  list(): readonly Checkpoint[];
  /**
   * Lists the files that a restore may change, without reading them. Throws {@link ToolError} if there is
   * no checkpoint of that turn.
   */
  filesSince(turn: number): readonly string[];
  /** Compares the files that a restore may change with their saved state. */
  plan(turn: number): Promise<RestorePlan>;
  /**
   * Restores files to their state before a turn. Their current state is saved first, as a checkpoint of
   * the turn `during`, so that the restore can be undone. Throws {@link ToolError} and changes nothing if
   * the current state cannot be saved.
   */
  restore(turn: number, options: { readonly during: number }): Promise<RestoreReport>;
}
