import path from "node:path";
import type { Workspace } from "../workspace/workspace.js";

/** Where a word of a command leads, if a program opens it as a path. */
export interface FollowedPath {
  /** The absolute path with every link resolved. */
  readonly absolute: string;
  readonly isInside: boolean;
  /** Whether it is protected, or passes something that is. */
  readonly isProtected: boolean;
  /** Whether a link on the way changed where it leads. */
  readonly isLinked: boolean;
}

// The kernel opens no longer path, and no longer name in one.
const maxBytes = 4096;
const maxNameBytes = 255;

/**
 * Follows a word from a directory whose links are resolved, as the kernel does: `..` leaves the
 * directory that a link led to. Undefined for a text that is too long to be a path.
 */
export async function followPath(
  directory: string,
  word: string,
  workspace: Workspace,
): Promise<FollowedPath | undefined> {
  const steps = word.split("/");
  if (Buffer.byteLength(word) > maxBytes) return undefined;
  if (steps.some((step) => Buffer.byteLength(step) > maxNameBytes)) return undefined;
  let absolute = path.isAbsolute(word) ? path.parse(word).root : directory;
  let place = await workspace.resolve(absolute);
  let isProtected = place.isProtected === true;
  for (const step of steps) {
    if (step === "" || step === ".") continue;
    place = await workspace.resolve(
      step === ".." ? path.dirname(absolute) : path.join(absolute, step),
    );
    absolute = place.absolute;
    isProtected ||= place.isProtected === true;
  }
  const isLinked = absolute !== path.resolve(directory, word);
  return { absolute, isInside: place.isInside, isProtected, isLinked };
}
