import { stat } from "node:fs/promises";
import path from "node:path";
import { toFileError } from "../../workspace/file-error.js";
import { stripControl } from "../../workspace/strip-control.js";
import type { WorkspacePath } from "../../workspace/workspace.js";
import { checkPlanned } from "../check-planned.js";
import type { Tool } from "../tool.js";
import { type RipgrepOptions, runRipgrep } from "./run-ripgrep.js";

/** What searching may rely on. */
export interface SearchOptions extends RipgrepOptions {
  /** Whether a file holds the output of this session's own commands: it needs no question. */
  readonly isOwnOutput?: (absolute: string) => boolean;
}

const mostMatches = 300;
const longestLine = 300;

/** Searches the content of files. */
export function createSearchFileContent(options: SearchOptions = {}): Tool {
  const { isOwnOutput = () => false } = options;
  return {
    name: "search_file_content",
    description: `Searches files for a regular expression (ripgrep's syntax) and returns each line that matches as "path:line: text", lines counted from 1; at most ${mostMatches}. Files that .gitignore or .ignore name and binary files are left out; long lines are cut.`,
    isReadOnly: true,
    parameters: {
      type: "object",
      properties: {
        pattern: {
          type: "string",
          minLength: 1,
          description:
            'The regular expression, e.g. "function\\\\s+main"; case matters, "(?i)" in front lifts that.',
        },
        path: {
          type: "string",
          description:
            "The directory or file to search, absolute or relative to the workspace. Default: its root.",
        },
        include: {
          type: "string",
          description: 'Only files that fit this glob, e.g. "*.ts" or "src/**/*.{js,ts}".',
        },
      },
      required: ["pattern"],
      additionalProperties: false,
    },

    async plan({ pattern, path: place = "." }, workspace) {
      const target = await workspace.resolve(String(place));
      const description = `Search for ${pattern} in ${target.display}`;
      const isInside = target.isInside || isOwnOutput(target.absolute);
      return {
        description,
        actions: [{ type: "read", path: target.absolute, isInside }],
        details: { $case: "genericDetails", value: { description } },
      };
    },

    async run({ pattern, path: place = ".", include }, run) {
      const target = await run.workspace.resolve(String(place));
      checkPlanned("read", target, run);
      const root = await rootOf(target);
      const matches: Match[] = [];
      const fits = await toFilter(include);
      await runRipgrep(
        {
          args: [...searchArgs, `--regexp=${pattern}`, ...typeArgs(include), "--", root.name],
          directory: root.directory,
          signal: run.signal,
          onLine(line) {
            const match = parseMatch(line);
            if (match !== undefined && fits(match.file)) matches.push(match);
            return matches.length <= mostMatches;
          },
        },
        options,
      );
      return { result: { $case: "text", value: describe(matches, root.display) } };
    },
  };
}

const searchArgs = [
  "--null",
  "--line-number",
  "--with-filename",
  "--no-heading",
  "--color=never",
  `--max-columns=${longestLine}`,
  "--max-columns-preview",
];

interface Match {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

async function rootOf({ absolute, display }: WorkspacePath) {
  try {
    const isDirectory = (await stat(absolute)).isDirectory();
    const directory = isDirectory ? absolute : path.dirname(absolute);
    const shown = isDirectory ? display : path.dirname(display);
    return { directory, name: isDirectory ? "." : path.basename(absolute), display: shown };
  } catch (error) {
    throw toFileError(error, display);
  }
}

// ripgrep's own --glob would bring back files that are ignored; a file type does not, but knows only
// names. Globs with directories are applied to what is found.
function typeArgs(include: unknown): readonly string[] {
  if (typeof include !== "string" || include.includes("/")) return [];
  return [`--type-add=wanted:${include}`, "--type=wanted"];
}

async function toFilter(include: unknown): Promise<(file: string) => boolean> {
  if (typeof include !== "string") return () => true;
  const { default: picomatch } = await import("picomatch");
  return picomatch(include.replace(/^\.\//, ""), { dot: true, basename: !include.includes("/") });
}

/** `path NUL line : text` → a match. */
function parseMatch(line: string): Match | undefined {
  const [, file, number, text] = /^(?:\.\/)?([^\0]*)\0(\d+):(.*)$/s.exec(line) ?? [];
  if (file === undefined || text === undefined) return undefined;
  return { file, line: Number(number), text: stripControl(text).trimEnd() };
}

function describe(matches: readonly Match[], display: string): string {
  if (matches.length === 0) return "(nothing found; files that are ignored are not searched)";
  const shown = matches.slice(0, mostMatches);
  // ripgrep works on many files at once, so their order is chance; within a file it is not.
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
