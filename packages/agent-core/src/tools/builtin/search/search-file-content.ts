import path from "node:path";
import { ToolError } from "../../../errors/tool-error.js";
import { openDirectory } from "../../../workspace/open-directory.js";
import { openRegularFile } from "../../../workspace/open-regular-file.js";
import type { WorkspacePath } from "../../../workspace/workspace.js";
import { checkPlanned } from "../../check-planned.js";
import { checkGlobSteps, compileGlob, MAX_GLOB_STEPS } from "../../glob/compile-glob.js";
import { MAX_GLOB_LENGTH } from "../../glob/parse-glob.js";
import type { Tool } from "../../tool.js";
import { type RipgrepOptions, runRipgrep } from "./run-ripgrep.js";
import { type Match, searchOpenFiles } from "./search-open-files.js";

/** Options of {@link createSearchFileContent}. */
export interface SearchOptions extends RipgrepOptions {
  /**
   * Returns true if a file contains the output of this session's own commands, so that searching it needs no question.
   */
  readonly isOwnOutput?: (absolute: string) => boolean;
}

const MAX_MATCHES = 300;
/**
 * Maximum number of characters of a pattern. ripgrep gets the pattern as a command-line argument, and the
 * system limits the length of an argument. ripgrep itself limits the size of the compiled expression.
 */
const MAX_EXPRESSION_LENGTH = 10_000;

/** The fields of the tool that are the same in every session. */
const DECLARATION = {
  name: "search_file_content",
  description: `Searches files for a regular expression (ripgrep's syntax) and returns each matching line as "path:line: text", lines counted from 1; at most ${MAX_MATCHES}. Files listed in .gitignore or .ignore and binary files are left out; long lines are cut.`,
  isReadOnly: true,
  parameters: {
    type: "object",
    properties: {
      pattern: {
        type: "string",
        minLength: 1,
        maxLength: MAX_EXPRESSION_LENGTH,
        description:
          'The regular expression, e.g. "function\\\\s+main"; it is case-sensitive unless it begins with "(?i)".',
      },
      path: {
        type: "string",
        description:
          "The directory or file to search, absolute or relative to the workspace. Default: its root.",
      },
      include: {
        type: "string",
        maxLength: MAX_GLOB_LENGTH,
        description: 'Only files that match this glob, e.g. "*.ts" or "src/**/*.{js,ts}".',
      },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
} satisfies Partial<Tool>;

/** Creates the tool that searches the content of files. */
export function createSearchFileContent(options: SearchOptions = {}): Tool {
  const { isOwnOutput = () => false } = options;
  return {
    ...DECLARATION,

    async plan({ pattern, path: given = "." }, workspace) {
      const target = await workspace.resolve(String(given));
      const description = `Search for ${pattern} in ${target.display}`;
      const isInside = target.isInside || isOwnOutput(target.absolute);
      return {
        description,
        actions: [{ type: "read", path: target.absolute, isInside, isDeep: true }],
        details: { $case: "genericDetails", value: { description } },
      };
    },

    async run({ pattern, path: given = ".", include }, run) {
      const target = await run.workspace.resolve(String(given));
      checkPlanned("read", target, run);
      const filter = toFilter(include);
      const search: Search = { pattern: String(pattern), include, filter, signal: run.signal };
      const { directory, files } = await findCandidates(target, search, options);
      const matches = await searchOpenFiles(
        { files, directory, pattern: search.pattern, maxMatches: MAX_MATCHES, signal: run.signal },
        options,
      );
      return { result: { $case: "text", value: describe(matches, directory.display) } };
    },
  };
}

/** The parameters of a search. */
interface Search {
  readonly pattern: string;
  readonly include: unknown;
  readonly filter: FileFilter;
  readonly signal: AbortSignal;
}

/** Decides by name which files are searched. */
interface FileFilter {
  /** Number of glob steps that all calls of `fits` have taken so far. */
  readonly steps: number;
  fits(file: string): boolean;
}

/** Files that may contain matches. Their paths are relative to `directory`. */
interface Candidates {
  readonly directory: WorkspacePath;
  readonly files: readonly string[];
}

/**
 * Returns the target itself if it is a file. For a directory, returns the files below it in which
 * ripgrep finds matches.
 */
async function findCandidates(
  target: WorkspacePath,
  { pattern, include, filter, signal }: Search,
  options: RipgrepOptions,
): Promise<Candidates> {
  const opened = await openDirectory(target).catch(async (error) => {
    if (!(error instanceof ToolError) || error.type !== "not_a_directory") throw error;
    await (await openRegularFile(target)).close();
    return undefined;
  });
  if (opened === undefined) return singleCandidate(target, filter);
  await using directory = opened;
  const files: string[] = [];
  await runRipgrep(
    {
      args: ["--files-with-matches", `--regexp=${pattern}`, ...typeArgs(include), "--", "."],
      directory: directory.childPath,
      signal,
      onLine(line) {
        const file = line.replace(/^\.\//, "");
        if (filter.fits(file)) files.push(file);
        return files.length <= MAX_MATCHES && filter.steps <= MAX_GLOB_STEPS;
      },
    },
    options,
  );
  checkGlobSteps(filter.steps);
  // ripgrep searches in parallel, so the order of its output varies.
  return { directory: target, files: files.sort() };
}

function singleCandidate(
  { absolute, display, isInside }: WorkspacePath,
  filter: FileFilter,
): Candidates {
  const name = path.basename(absolute);
  return {
    directory: { absolute: path.dirname(absolute), display: path.dirname(display), isInside },
    files: filter.fits(name) ? [name] : [],
  };
}

// Returns the arguments that select files by name. They define a file type, because ripgrep's --glob would
// include ignored files again. A file type matches names only, so `FileFilter` applies a glob with a slash.
function typeArgs(include: unknown): readonly string[] {
  if (typeof include !== "string" || include.includes("/")) return [];
  return [`--type-add=wanted:${include}`, "--type=wanted"];
}

function toFilter(include: unknown): FileFilter {
  if (typeof include !== "string") return { steps: 0, fits: () => true };
  const glob = compileGlob(include.replace(/^\.\//, ""));
  return {
    get steps() {
      return glob.steps;
    },
    fits: (file) => glob.matches(include.includes("/") ? file : path.posix.basename(file)),
  };
}

function describe(matches: readonly Match[], display: string): string {
  if (matches.length === 0) return "(nothing found; ignored files are not searched)";
  const shown = matches.slice(0, MAX_MATCHES);
  const lines = shown
    .toSorted((one, other) =>
      one.file === other.file ? one.line - other.line : one.file < other.file ? -1 : 1,
    )
    .map(({ file, line, text }) => `${path.join(display, file)}:${line}: ${text}`);
  if (matches.length > shown.length) {
    lines.push(
      `[only the first ${shown.length} matches found; narrow the pattern, path or include]`,
    );
  }
  return lines.join("\n");
}
