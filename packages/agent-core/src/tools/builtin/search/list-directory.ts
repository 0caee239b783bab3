import { lstat, readdir, readlink } from "node:fs/promises";
import path from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import { toFileError } from "../../../workspace/file-error.js";
import { openDirectory } from "../../../workspace/open-directory.js";
import { checkPlanned } from "../../check-planned.js";
import { checkGlobSteps, compileGlob, type Glob } from "../../glob/compile-glob.js";
import { MAX_GLOB_LENGTH } from "../../glob/parse-glob.js";
import type { Tool } from "../../tool.js";

const MAX_ENTRIES = 500;
const MAX_GLOBS = 32;
/** Number of glob steps after which the listing pauses, so that other work can run. */
const MAX_STEPS_WITHOUT_PAUSE = 250_000;

/** Lists the entries of a directory. */
export const listDirectory: Tool = {
  name: "list_directory",
  description: `Lists the entries of a directory: directories first, with a slash at the end, then files with their size, and links with their target. At most ${MAX_ENTRIES} entries. To find files at any depth, use glob.`,
  isReadOnly: true,
  parameters: {
    type: "object",
    properties: {
      path: {
        type: "string",
        description:
          "The directory, absolute or relative to the workspace. Default: the root of the workspace.",
      },
      ignore: {
        type: "array",
        maxItems: MAX_GLOBS,
        items: { type: "string", maxLength: MAX_GLOB_LENGTH },
        description: 'Globs for names to leave out, e.g. ["*.log", "node_modules"].',
      },
    },
    additionalProperties: false,
  },

  async plan({ path: given = "." }, workspace) {
    const directory = await workspace.resolve(String(given));
    return {
      description: `List ${directory.display}`,
      actions: [{ type: "read", path: directory.absolute, isInside: directory.isInside }],
      details: {
        $case: "genericDetails",
        value: { description: `List the directory ${directory.absolute}` },
      },
    };
  },

  async run({ path: given = ".", ignore = [] }, run) {
    const directory = await run.workspace.resolve(String(given));
    checkPlanned("read", directory, run);
    const globs = (ignore as readonly string[]).map(compileGlob);
    await using opened = await openDirectory(directory);
    const { directories, others } = await readNames(opened.path, globs, run.signal).catch(
      (error) => {
        throw toFileError(error, directory.display);
      },
    );
    const shown = [...directories, ...others].slice(0, MAX_ENTRIES);
    const lines = await Promise.all(shown.map((name) => describeEntry(opened.path, name)));
    const total = directories.length + others.length;
    if (total === 0) lines.push("(nothing)");
    if (total > shown.length) {
      const left = `${total - shown.length} of ${total} entries are left out`;
      lines.push(`[${left}; leave out names with ignore, or use glob]`);
    }
    return { result: { $case: "text", value: lines.join("\n") } };
  },
};

async function readNames(directory: string, globs: readonly Glob[], signal: AbortSignal) {
  const directories: string[] = [];
  const others: string[] = [];
  let steps = 0;
  let pausedAt = 0;
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    let isIgnored = false;
    for (const glob of globs) {
      const before = glob.steps;
      isIgnored = glob.matches(entry.name);
      steps += glob.steps - before;
      if (isIgnored) break;
      if (steps - pausedAt <= MAX_STEPS_WITHOUT_PAUSE) continue;
      await pause(undefined, { signal });
      pausedAt = steps;
    }
    checkGlobSteps(steps);
    if (!isIgnored) (entry.isDirectory() ? directories : others).push(entry.name);
  }
  return { directories: directories.sort(), others: others.sort() };
}

async function describeEntry(directory: string, name: string): Promise<string> {
  const file = path.join(directory, name);
  try {
    const stats = await lstat(file);
    if (stats.isDirectory()) return `${name}/`;
    if (stats.isSymbolicLink()) return `${name} -> ${await readlink(file)}`;
    return stats.isFile() ? `${name} (${stats.size} bytes)` : `${name} (not a file)`;
  } catch {
    // The entry was removed while the directory was read.
    return `${name} (gone)`;
  }
}
