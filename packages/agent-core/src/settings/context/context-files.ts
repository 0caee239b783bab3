import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { MayExist } from "../files/directory-listing.js";
import { SETTINGS_DEFAULTS } from "../settings-defaults.js";
import {
  type ContextFile,
  type ContextFiles,
  MAX_CONTEXT_BYTES,
  readContext,
} from "./read-context.js";

/** Options of {@link collectContextFiles}. */
export interface ContextFilesOptions {
  /** The person's home directory. */
  readonly home: string;
  /** The workspace, with all links resolved. */
  readonly workspace: string;
  /** Default: `AGENTS.md` and `GEMINI.md`. */
  readonly fileNames?: readonly string[];
  /** Absolute paths of files that extensions add. */
  readonly extensionFiles?: readonly string[];
  /** Limit of the total size of all context files. Default: 128 KiB. */
  readonly maxBytes?: number;
}

/**
 * Collects the context files of the person, of extensions, and of all directories from the
 * repository's root (or home) down to the workspace.
 */
export async function collectContextFiles(
  options: ContextFilesOptions,
  mayExist: MayExist = () => true,
): Promise<ContextFiles> {
  const { home, fileNames = SETTINGS_DEFAULTS.contextFileNames, extensionFiles = [] } = options;
  const directories = await directoriesDownTo(options.workspace, { home, mayExist });
  const inEach = (directory: string) => fileNames.map((name) => path.join(directory, name));
  const candidates: readonly Candidate[] = [
    ...[".gemini", ".config/gemini-cli", ".config/dt"].flatMap((folder) =>
      inEach(path.join(home, folder)).map((file) => ({ file })),
    ),
    ...extensionFiles.map((file) => ({ file })),
    ...directories.flatMap((boundary) => inEach(boundary).map((file) => ({ file, boundary }))),
  ];
  const found = await findFiles(candidates.filter(({ file }) => mayExist(file)));
  return await readContext(found, options.maxBytes ?? MAX_CONTEXT_BYTES);
}

interface Candidate {
  readonly file: string;
  /** The directory that a link must not lead out of. Undefined if links may lead anywhere. */
  readonly boundary?: string;
}

// Returns the directories from the repository's root, or from home, down to the workspace. If the
// workspace is outside both, it returns only the workspace.
async function directoriesDownTo(
  workspace: string,
  { home, mayExist }: { readonly home: string; readonly mayExist: MayExist },
): Promise<readonly string[]> {
  const directories: string[] = [];
  let realHome: string | undefined;
  for (let directory = workspace; ; directory = path.dirname(directory)) {
    directories.unshift(directory);
    const repository = path.join(directory, ".git");
    if (mayExist(repository) && (await findStats(repository))) return directories;
    realHome ??= await realpath(home).catch(() => home);
    if (directory === realHome) return directories;
    if (directory === path.dirname(directory)) return [workspace];
  }
}

// Finds the files that exist. A file with several names is found once, for example if AGENTS.md links to
// GEMINI.md.
async function findFiles(candidates: readonly Candidate[]): Promise<readonly ContextFile[]> {
  const found = new Map<string, ContextFile>();
  // The lookups run in parallel, because every new session does them and most files do not exist.
  const located = await Promise.all(
    candidates.map(async (candidate) => {
      const real = await realpath(candidate.file).catch(() => undefined);
      return { ...candidate, real, stats: real === undefined ? undefined : await findStats(real) };
    }),
  );
  for (const { file, boundary, real, stats } of located) {
    if (real === undefined || found.has(real) || stats?.isFile() !== true) continue;
    // A link must not lead out of the directory that it is in. The topmost of the searched directories would
    // be too wide a boundary, because it may be the person's home, which contains private files.
    if (boundary !== undefined && !real.startsWith(path.join(boundary, path.sep))) continue;
    found.set(real, { file, real, stats });
  }
  return [...found.values()];
}

async function findStats(file: string): Promise<Stats | undefined> {
  return await stat(file).catch(() => undefined);
}
