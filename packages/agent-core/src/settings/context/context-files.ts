import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { MayExist } from "../directory-listing.js";
import { SETTINGS_DEFAULTS } from "../settings-defaults.js";
import { type ContextFile, type ContextFiles, readContext } from "./read-context.js";

/** Options of {@link collectContextFiles}. */
export interface ContextFilesOptions {
  /** The person's home directory. */
  readonly home: string;
  readonly workspace: string;
  /** Default: `AGENTS.md` and `GEMINI.md`. */
  readonly fileNames?: readonly string[];
  /** Absolute paths of files that extensions add. */
  readonly extensionFiles?: readonly string[];
  /** Limit of the total size. Default: 128 KiB. */
  readonly maxBytes?: number;
}

const DEFAULT_MAX_BYTES = 128 * 1024;

/**
 * Collects the context files of the person, of extensions, of the directories from the repository's
 * root (or home) down to the workspace, and of the workspace itself.
 */
export async function collectContextFiles(
  options: ContextFilesOptions,
  mayExist: MayExist = () => true,
): Promise<ContextFiles> {
  const { home, fileNames = SETTINGS_DEFAULTS.contextFileNames, extensionFiles = [] } = options;
  const directories = await directoriesDownTo(await realpath(options.workspace), home);
  const inEach = (directory: string) => fileNames.map((name) => path.join(directory, name));
  const candidates: readonly Candidate[] = [
    ...[".gemini", ".config/gemini-cli", ".config/dt"].flatMap((folder) =>
      inEach(path.join(home, folder)).map((file) => ({ file })),
    ),
    ...extensionFiles.map((file) => ({ file })),
    ...directories.flatMap((inside) => inEach(inside).map((file) => ({ file, inside }))),
  ];
  const found = await findFiles(candidates.filter(({ file }) => mayExist(file)));
  return await readContext(found, options.maxBytes ?? DEFAULT_MAX_BYTES);
}

interface Candidate {
  readonly file: string;
  /** The directory that a link must not lead out of. */
  readonly inside?: string;
}

// Returns the directories from the repository's root, or from home, down to the workspace. If the
// workspace is in neither, it returns only the workspace.
async function directoriesDownTo(workspace: string, home: string): Promise<readonly string[]> {
  const realHome = await realpath(home).catch(() => home);
  const directories: string[] = [];
  for (let directory = workspace; ; directory = path.dirname(directory)) {
    directories.unshift(directory);
    if (directory === realHome || (await exists(path.join(directory, ".git")))) return directories;
    if (directory === path.dirname(directory)) return [workspace];
  }
}

// A file with several names counts once, for example if AGENTS.md links to GEMINI.md.
async function findFiles(candidates: readonly Candidate[]): Promise<readonly ContextFile[]> {
  const found = new Map<string, ContextFile>();
  // The lookups run in parallel, because every new session does them and most files do not exist.
  const located = await Promise.all(
    candidates.map(async (candidate) => {
      const real = await realpath(candidate.file).catch(() => undefined);
      return { ...candidate, real, isFile: real !== undefined && (await isFile(real)) };
    }),
  );
  for (const { file, inside, real, isFile: isUsable } of located) {
    if (real === undefined || found.has(real) || !isUsable) continue;
    // The topmost directory may be the person's home, so a link must not lead out of its own
    // directory.
    if (inside !== undefined && !real.startsWith(path.join(inside, path.sep))) continue;
    found.set(real, { file, real });
  }
  return [...found.values()];
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}

async function isFile(file: string): Promise<boolean> {
  return await stat(file).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
