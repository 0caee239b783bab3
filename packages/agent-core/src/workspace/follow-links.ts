import { readlink, realpath } from "node:fs/promises";
import path from "node:path";

/** Where a path leads. */
export interface FollowedPath {
  /** Absolute, with every link resolved that can be read. */
  readonly absolute: string;
  /** Whether the path ends below the root and nothing outside was looked at on the way. */
  readonly staysBelow: boolean;
}

/** The directory that a path should stay below. */
export interface FollowOptions {
  /** Absolute, with every link resolved. */
  readonly root: string;
  /** The root as it was first named, which may lead through links. */
  readonly alias: string;
}

/** As many links as Linux follows. */
const MOST_LINKS = 40;

/** No system opens a longer path, so nothing is looked up for one. */
const LONGEST_PATH = process.platform === "win32" ? 32_767 : 4_096;

/**
 * Follows the links of an absolute path, part by part. Never fails: a part that is missing, unreadable,
 * too long or in a loop of links stays as it is written, so that the answer does not depend on why.
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
    // Nothing below a part that cannot be looked at needs another look.
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
  // If names differ only in case, the system knows how a name is really written.
  const absolute = await realpath(place).catch(() => place);
  return { absolute, staysBelow: staysBelow && isBelow(root, absolute) };
}

/** Whether a path is a directory or lies below it. Both are absolute. Pure. */
export function isBelow(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** The directories above the root are no secret: they exist, and none of them is a link. */
function isOnTheWay(place: string, root: string): boolean {
  return isBelow(root, place) || isBelow(place, root);
}

/** A resolved directory and the parts that are to be followed from there. Pure. */
function startOf(
  target: string,
  { root, alias, from = root }: FollowOptions & { readonly from?: string },
): { readonly place: string; readonly parts: string[] } {
  const isPlain = !partsOf(target).includes("..");
  const name = path.isAbsolute(target) && [root, alias].find((each) => isBelow(each, target));
  // Only without ".." is a text that starts with the root's name sure to lead below it.
  if (name && isPlain) return { place: root, parts: partsOf(path.relative(name, target)) };
  const { root: top } = path.parse(target);
  return { place: path.resolve(from, top), parts: partsOf(target.slice(top.length)) };
}

function partsOf(target: string): string[] {
  const separator = path.sep === "/" ? "/" : /[\\/]/;
  return target.split(separator).filter((part) => part !== "" && part !== ".");
}

type Found = { readonly type: "link"; readonly target: string } | { readonly type: "fault" };

/** The link at a place, or that nobody can tell; undefined if something else is there. */
async function findLink(place: string): Promise<Found | undefined> {
  try {
    return { type: "link", target: await readlink(place) };
  } catch (error) {
    // The system says this only of what is there and no link.
    const isOther = ["EINVAL", "UNKNOWN"].includes(`${(error as NodeJS.ErrnoException).code}`);
    return isOther ? undefined : { type: "fault" };
  }
}
