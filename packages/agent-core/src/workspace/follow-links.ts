import { readlink, realpath } from "node:fs/promises";
import path from "node:path";

/** The result of {@link followLinks}. */
export interface FollowedPath {
  /** Absolute path with every readable link resolved. */
  readonly absolute: string;
  /**
   * True if the path ends at the root or below it, and each directory on the way is the root, lies below the
   * root or contains the root. False if the path passes through any other directory, even if it leads back.
   */
  readonly staysBelow: boolean;
}

/** The directory that a path should stay below. */
export interface FollowLinksOptions {
  /** Absolute path with every link resolved. */
  readonly root: string;
  /** The path of the root that the caller gave; it may contain links. */
  readonly alias: string;
}

/** Maximum number of links that are followed in one path. Linux has the same limit. */
const MAX_LINKS = 40;

/** Maximum length of a path that the operating system opens. A longer path is not looked up. */
const MAX_PATH_LENGTH = process.platform === "win32" ? 32_767 : 4_096;

/**
 * Resolves the links of an absolute path, part by part. It never fails. A part that is missing,
 * unreadable, too long or in a loop of links stays as it was written. The result therefore does not
 * reveal which of these faults the part has.
 */
export async function followLinks(
  file: string,
  options: FollowLinksOptions,
): Promise<FollowedPath> {
  const { root } = options;
  if (file.length > MAX_PATH_LENGTH) return { absolute: file, staysBelow: isBelow(root, file) };
  let { current, parts } = splitTarget(file, options);
  let links = 0;
  let fault: string | undefined;
  let staysBelow = isAboveOrBelowRoot(current, root);
  for (let name = parts.shift(); name !== undefined; name = parts.shift()) {
    const next = path.join(current, name);
    // Parts below a part that could not be read are not looked up.
    const isBelowFault = fault !== undefined && isBelow(fault, next);
    const found =
      name === ".." || isBelowFault || links === MAX_LINKS ? undefined : await findLink(next);
    if (found?.type === "link") {
      links += 1;
      const redirected = splitTarget(found.target, { ...options, from: current });
      current = redirected.current;
      parts = [...redirected.parts, ...parts];
    } else {
      current = next;
      if (found?.type === "fault") fault = current;
    }
    staysBelow &&= isAboveOrBelowRoot(next, root) && isAboveOrBelowRoot(current, root);
  }
  // On file systems that ignore case, `realpath` returns the spelling in which the name is stored.
  const absolute = await realpath(current).catch(() => current);
  return { absolute, staysBelow: staysBelow && isBelow(root, absolute) };
}

/** True if a path is the directory or lies below it. Both paths must be absolute. Pure. */
export function isBelow(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/**
 * True for the root, paths below the root and directories above the root. A path may pass through
 * directories above the root, because these are known to exist and are not links.
 */
function isAboveOrBelowRoot(file: string, root: string): boolean {
  return isBelow(root, file) || isBelow(file, root);
}

/** Splits a path into a resolved directory and the parts to follow from there. Pure. */
function splitTarget(
  target: string,
  { root, alias, from = root }: FollowLinksOptions & { readonly from?: string },
): { readonly current: string; readonly parts: string[] } {
  const isPlain = !partsOf(target).includes("..");
  const name = path.isAbsolute(target) && [root, alias].find((each) => isBelow(each, target));
  // An absolute path that begins with the root is followed from the root. With "..", it is followed from the
  // top of the file system, because ".." can lead out of the root.
  if (name && isPlain) return { current: root, parts: partsOf(path.relative(name, target)) };
  const { root: top } = path.parse(target);
  return { current: path.resolve(from, top), parts: partsOf(target.slice(top.length)) };
}

function partsOf(target: string): string[] {
  const separator = path.sep === "/" ? "/" : /[\\/]/;
  return target.split(separator).filter((part) => part !== "" && part !== ".");
}

type Found = { readonly type: "link"; readonly target: string } | { readonly type: "fault" };

/**
 * Returns the link at a path; undefined if the path exists and is not a link. Returns a fault if the
 * path cannot be read.
 */
async function findLink(file: string): Promise<Found | undefined> {
  try {
    return { type: "link", target: await readlink(file) };
  } catch (error) {
    // The system returns these codes only for existing files that are not links.
    const isOther = ["EINVAL", "UNKNOWN"].includes(`${(error as NodeJS.ErrnoException).code}`);
    return isOther ? undefined : { type: "fault" };
  }
}
