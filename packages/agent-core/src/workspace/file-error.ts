import { ToolError } from "../errors/tool-error.js";

const REASONS: Readonly<Record<string, readonly [type: string, sentence: string]>> = {
  ENOENT: ["not_found", "does not exist"],
  ENOTDIR: ["not_a_directory", "has a part that is a file, not a directory"],
  EEXIST: ["not_a_directory", "has a part that is a file, not a directory"],
  EISDIR: ["is_a_directory", "is a directory, not a file"],
  EACCES: ["permission_denied", "cannot be accessed by this user"],
  EPERM: ["permission_denied", "cannot be changed by this user"],
  ENOSPC: [
    "disk_full",
    "could not be written because the disk is full; free some space and try again",
  ],
  EDQUOT: ["disk_full", "could not be written because the disk quota is used up; free some space"],
  EROFS: ["read_only", "lies on a read-only file system"],
  ENAMETOOLONG: ["name_too_long", "has a name that is too long"],
  ELOOP: ["link_loop", "leads through links that changed or form a loop"],
  EMFILE: ["too_many_files", "could not be opened because too many files are open; try again"],
  ENFILE: ["too_many_files", "could not be opened because too many files are open; try again"],
};

/**
 * Converts a file system error into a ToolError whose message contains the file and the reason.
 * Returns other errors unchanged.
 */
export function toFileError(error: unknown, display: string): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  const reason = code === undefined ? undefined : REASONS[code];
  if (reason === undefined) return error;
  const [type, sentence] = reason;
  return new ToolError(type, `${display} ${sentence}`, { cause: error });
}

/** True if the error says that the file does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "ENOENT";
}
