import path from "node:path";
import { openDirectory } from "../../../workspace/open-directory.js";
import { checkPlanned } from "../../check-planned.js";
import { checkGlobSteps, compileGlob, MAX_GLOB_STEPS } from "../../glob/compile-glob.js";
import { MAX_GLOB_LENGTH } from "../../glob/parse-glob.js";
import type { Tool } from "../../tool.js";
import { type DatedFile, lookUpFiles } from "./look-up-files.js";
import { type RipgrepOptions, runRipgrep } from "./run-ripgrep.js";

const MAX_SHOWN = 200;
/** Maximum number of matches that are collected before the newest ones are chosen. */
const MAX_FOUND = 20_000;

/** The fields of the tool that are the same in every session. */
const DECLARATION = {
  name: "glob",
  description: `Finds files whose path matches a glob, e.g. "src/**/*.ts" or "**/README.md"; the newest first, at most ${MAX_SHOWN}. Files listed in .gitignore or .ignore are left out.`,
  isReadOnly: true,
  parameters: {
    type: "object",
    properties: {
      pattern: {
        type: "string",
        minLength: 1,
        maxLength: MAX_GLOB_LENGTH,
        description:
          "The glob, relative to path: * within a name, ** over directories, {a,b} for either.",
      },
      path: {
        type: "string",
        description:
          "The directory to search, absolute or relative to the workspace. Default: its root.",
      },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
} satisfies Partial<Tool>;

/** Creates the tool that finds files by name. */
export function createGlob(options: RipgrepOptions = {}): Tool {
  return {
    ...DECLARATION,

    async plan({ pattern, path: given = "." }, workspace) {
      const directory = await workspace.resolve(String(given));
      const description = `Find ${pattern} in ${directory.display}`;
      return {
        description,
        actions: [
          { type: "read", path: directory.absolute, isInside: directory.isInside, isDeep: true },
        ],
        details: { $case: "genericDetails", value: { description } },
      };
    },

    async run({ pattern, path: given = "." }, run) {
      const directory = await run.workspace.resolve(String(given));
      checkPlanned("read", directory, run);
      const glob = compileGlob(String(pattern).replace(/^\.\//, ""));
      const found: string[] = [];
      await using opened = await openDirectory(directory);
      await runRipgrep(
        {
          args: ["--files", "--", "."],
          directory: opened.childPath,
          signal: run.signal,
          onLine(line) {
            const file = line.replace(/^\.\//, "");
            if (glob.matches(file)) found.push(file);
            return found.length < MAX_FOUND && glob.steps <= MAX_GLOB_STEPS;
          },
        },
        options,
      );
      checkGlobSteps(glob.steps);
      const files = newestFirst(await lookUpFiles(found, directory));
      const prefix = directory.display === "." ? "" : directory.display;
      const shown = files.slice(0, MAX_SHOWN).map((file) => path.join(prefix, file));
      return { result: { $case: "text", value: describe(shown, files.length) } };
    },
  };
}

function newestFirst(files: readonly DatedFile[]): string[] {
  return files
    .toSorted((one, other) => other.changedAt - one.changedAt || (one.file < other.file ? -1 : 1))
    .map(({ file }) => file);
}

function describe(shown: readonly string[], found: number): string {
  if (found === 0) return "(no file matches; ignored files are not searched)";
  if (found === shown.length) return shown.join("\n");
  const count = found === MAX_FOUND ? `${found} or more` : String(found);
  return `${shown.join("\n")}\n[the newest ${shown.length} of ${count}; narrow the pattern or the path to see others]`;
}
