import { readlink, realpath } from "node:fs/promises";
import path from "node:path";

/** The result of {@link followLinks}. */
export interface FollowedPath {
  /** Absolute path with every readable link resolved. */
  readonly absolute: string;
  /** True if the path ends below the root and no step on the way was outside of it. */
  readonly staysBelow: boolean;
}

/** The directory that a path should stay below. */
export interface FollowOptions {
  /** Absolute path with every link resolved. */
  readonly root: string;
  /** The root as the caller named it; it may contain links. */
  readonly alias: string;
}

/** Linux follows at most this many links. */
const MOST_LINKS = 40;

/** Operating systems open no longer paths, so longer ones are not looked up. */
const LONGEST_PATH = process.platform === "win32" ? 32_767 : 4_096;

/**
 * Resolves the links of an absolute path, part by part. Never fails: a part that is missing,
 * unreadable, too long or in a loop of links is kept as written, so that the result does not reveal
 * which of these it is.
 */
export async function followLinks(file: string, options: FollowOptions): Promise<FollowedPath> {
  const { root } = options;
  if (file.length > LONGEST_PATH) return { absolute: file, staysBelow: isBelow(root, file) };
  let { place, parts } = startOf(file, options);
  let links = 0;
  let fault: string | undefined;
  let staysBelow = isOnTheWay(place, root);
  for (let name = parts.shift(); name !== undefined; name = parts.shift()) {
    const next = path.join(place, name);
    // Parts below an unreadable part need no look-up.
    const isLost = fault !== undefined && isBelow(fault, next);
    const found =
      name === ".." || isLost || links === MOST_LINKS ? undefined : await findLink(next);
    if (found?.type === "link") {
      links += 1;
      const led = startOf(found.target, { ...options, from: place });
      place = led.place;
      parts = [...led.parts, ...parts];
    } else {
      place = next;
      if (found?.type === "fault") fault = place;
    }
    staysBelow &&= isOnTheWay(next, root) && isOnTheWay(place, root);
  }
  // On file systems that ignore case, `realpath` returns the name as it is stored.
  const absolute = await realpath(place).catch(() => place);
  return { absolute, staysBelow: staysBelow && isBelow(root, absolute) };
}

/** True if a path is the directory or lies below it. Both are absolute. Pure. */
export function isBelow(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/**
 * True for the root, paths below it and directories above it. Those above reveal nothing: they
 * exist, and none of them is a link.
 */
function isOnTheWay(place: string, root: string): boolean {
  return isBelow(root, place) || isBelow(place, root);
}

/** Splits a path into a resolved directory and the parts to follow from there. Pure. */
function startOf(
  target: string,
  { root, alias, from = root }: FollowOptions & { readonly from?: string },
): { readonly place: string; readonly parts: string[] } {
  const isPlain = !partsOf(target).includes("..");
  const name = path.isAbsolute(target) && [root, alias].find((each) => isBelow(each, target));
  // A path that starts with the root's name is certain to lead below it only if it has no "..".
  if (name && isPlain) return { place: root, parts: partsOf(path.relative(name, target)) };
  const { root: top } = path.parse(target);
  return { place: path.resolve(from, top), parts: partsOf(target.slice(top.length)) };
}

function partsOf(target: string): string[] {
  const separator = path.sep === "/" ? "/" : /[\\/]/;
  return target.split(separator).filter((part) => part !== "" && part !== ".");
}

type Found = { readonly type: "link"; readonly target: string } | { readonly type: "fault" };

/**
 * Returns the link at a path, or a fault if it cannot be read; undefined if something other than a
 * link is there.
 */
async function findLink(place: string): Promise<Found | undefined> {
  try {
    return { type: "link", target: await readlink(place) };
  } catch (error) {
    // The system returns these codes only for existing files that are not links.
    const isOther = ["EINVAL", "UNKNOWN"].includes(`${(error as NodeJS.ErrnoException).code}`);
    return isOther ? undefined : { type: "fault" };
  }
}
