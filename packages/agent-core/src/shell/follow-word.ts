import { readlink } from "node:fs/promises";
import path from "node:path";
import { isBelow } from "../workspace/follow-links.js";
import type { Workspace } from "../workspace/workspace.js";

/** The path that a program reaches if it opens a word as a file. */
export interface FollowedWord {
  /** Absolute path with every link resolved. */
  readonly absolute: string;
  /** True if the path ends inside the workspace and passes only through the workspace and its parents. */
  readonly isInside: boolean;
  /** True if the path is protected or passes through a protected path. */
  readonly isProtected: boolean;
  /** True if the path leads through a link. */
  readonly isLinked: boolean;
  /** True if the path passes through /proc, whose links differ for each process. */
  readonly isThroughProc: boolean;
}

// Limits of the Linux kernel for the length of a path, the length of a name, and the number of links.
const MAX_BYTES = 4096;
const MAX_NAME_BYTES = 255;
const MAX_LINKS = 40;

/**
 * Follows a word as a path, step by step as the kernel does. After a link, `..` is the parent of
 * the link's target. Links in `directory` must be resolved. Returns undefined if the word is too
 * long for a path; throws if there are too many links.
 */
export async function followWord(
  directory: string,
  word: string,
  workspace: Workspace,
): Promise<FollowedWord | undefined> {
  if (Buffer.byteLength(word) > MAX_BYTES) return undefined;
  if (word.split("/").some((step) => Buffer.byteLength(step) > MAX_NAME_BYTES)) return undefined;
  const { absolute, passed, links } = await walk(directory, word);
  const resolved = await Promise.all(passed.map((each) => workspace.resolve(each)));
  const { isInside } = await workspace.resolve(absolute);
  const isAboveOrBelowRoot = (file: string) =>
    isBelow(workspace.root, file) || isBelow(file, workspace.root);
  return {
    absolute,
    isInside: isInside && passed.every(isAboveOrBelowRoot),
    isProtected: resolved.some((each) => each.isProtected === true),
    isLinked: links > 0,
    isThroughProc: passed.some((each) => isBelow("/proc", each)),
  };
}

async function walk(directory: string, word: string) {
  const passed = [directory];
  let absolute = directory;
  let links = 0;
  let steps = splitPath(word);
  for (;;) {
    const [step, ...rest] = steps;
    if (step === undefined) return { absolute, passed, links };
    const next = step === ".." ? path.dirname(absolute) : path.resolve(absolute, step);
    const target = await findLink(next);
    if (target !== undefined && ++links > MAX_LINKS) throw new Error("too many links");
    passed.push(next);
    if (target === undefined) absolute = next;
    steps = target === undefined ? rest : [...splitPath(target), ...rest];
  }
}

/** Splits a path into steps; the first step of an absolute path is the root. */
function splitPath(word: string): readonly string[] {
  const steps = word.split("/").filter((step) => step !== "" && step !== ".");
  return path.isAbsolute(word) ? [path.parse(word).root, ...steps] : steps;
}

async function findLink(file: string): Promise<string | undefined> {
  try {
    return await readlink(file);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["EINVAL", "ENOENT", "ENOTDIR", "UNKNOWN"].includes(code)) return undefined;
    throw error;
  }
}
