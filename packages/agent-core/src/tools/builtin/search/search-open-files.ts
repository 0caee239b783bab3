import type { FileHandle } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../../../errors/tool-error.js";
import { childPathOf, openRegularFile } from "../../../workspace/open-regular-file.js";
import { stripControl } from "../../../workspace/text/strip-control.js";
import type { WorkspacePath } from "../../../workspace/workspace.js";
import { joinPath } from "./look-up-files.js";
import { type RipgrepOptions, runRipgrep } from "./run-ripgrep.js";

/** A matching line. */
export interface Match {
  /** Path relative to the directory. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** The files to search, and the pattern. */
export interface OpenFileSearch {
  /** Paths relative to the directory; missing files are skipped. */
  readonly files: readonly string[];
  readonly directory: WorkspacePath;
  readonly pattern: string;
  /** The search ends when it has found more matching lines than this. */
  readonly maxMatches: number;
  readonly signal: AbortSignal;
}

/** Maximum number of files that are open at the same time. */
const MAX_OPEN_FILES = 32;
const MAX_LINE_LENGTH = 300;

const SEARCH_ARGS = [
  // Reports a file that is open but cannot be read.
  "--messages",
  "--null",
  "--line-number",
  "--with-filename",
  "--no-heading",
  "--color=never",
  `--max-columns=${MAX_LINE_LENGTH}`,
  "--max-columns-preview",
];

/**
 * Opens files, checks their paths and searches the open files. A link that replaces a file after the
 * check has no effect, so every match comes from a file that may be read.
 */
export async function searchOpenFiles(
  search: OpenFileSearch,
  options: RipgrepOptions,
): Promise<readonly Match[]> {
  const matches: Match[] = [];
  for (let at = 0; at < search.files.length; at += MAX_OPEN_FILES) {
    if (matches.length > search.maxMatches) break;
    const opened = await openFiles(search.files.slice(at, at + MAX_OPEN_FILES), search.directory);
    try {
      await searchOpened(opened, { ...search, matches }, options);
    } finally {
      await Promise.all(opened.map(({ handle }) => handle.close()));
    }
  }
  return matches;
}

interface OpenedFile {
  readonly file: string;
  readonly handle: FileHandle;
  /** The path by which ripgrep opens the file. */
  readonly childPath: string;
}

async function openFiles(files: readonly string[], directory: WorkspacePath) {
  const opened = await Promise.all(
    files.map(async (file): Promise<readonly OpenedFile[]> => {
      const target = joinPath(directory, file);
      try {
        const handle = await openRegularFile(target);
        return [{ file, handle, childPath: childPathOf(handle, target.absolute) }];
      } catch (error) {
        // The file was removed, or the file or a directory above it was replaced by a link.
        if (error instanceof ToolError) return [];
        throw error;
      }
    }),
  );
  return opened.flat();
}

async function searchOpened(
  opened: readonly OpenedFile[],
  { pattern, directory, maxMatches, signal, matches }: OpenFileSearch & { matches: Match[] },
  options: RipgrepOptions,
): Promise<void> {
  const fileOf = new Map(opened.map(({ childPath, file }) => [childPath, file]));
  if (fileOf.size === 0) return;
  await runRipgrep(
    {
      args: [...SEARCH_ARGS, `--regexp=${pattern}`, "--", ...fileOf.keys()],
      directory: path.parse(directory.absolute).root,
      signal,
      onLine(line) {
        const match = parseMatch(line, fileOf);
        if (match !== undefined) matches.push(match);
        return matches.length <= maxMatches;
      },
      findError: (message) => findReadError(message, { fileOf, directory }),
    },
    options,
  );
}

/** Finds the file that ripgrep could not read in its error message, such as `rg: <path>: Input/output error`. */
function findReadError(
  message: string,
  { fileOf, directory }: { fileOf: ReadonlyMap<string, string>; directory: WorkspacePath },
): ToolError | undefined {
  for (const [childPath, file] of fileOf) {
    const [, reason] = message.split(`${childPath}: `);
    if (reason === undefined) continue;
    const shown = path.join(directory.display, file);
    return new ToolError(
      "read_failed",
      `${shown} could not be read: ${reason.split("\n")[0]}; search other files`,
    );
  }
  return undefined;
}

/** Parses a line of ripgrep's output, which is the path, a NUL, the line number, a colon and the text. */
function parseMatch(line: string, fileOf: ReadonlyMap<string, string>): Match | undefined {
  const [, childPath = "", number, text] = /^([^\0]*)\0(\d+):(.*)$/s.exec(line) ?? [];
  const file = fileOf.get(childPath);
  if (file === undefined || text === undefined) return undefined;
  return { file, line: Number(number), text: stripControl(text).trimEnd() };
}
