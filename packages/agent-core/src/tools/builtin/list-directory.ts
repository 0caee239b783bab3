import { lstat, readdir, readlink } from "node:fs/promises";
import path from "node:path";
import { toFileError } from "../../workspace/file-error.js";
import { openDirectory } from "../../workspace/open-directory.js";
import { checkPlanned } from "../check-planned.js";
import type { Tool } from "../tool.js";

const mostEntries = 500;

/** Lists directories. */
export const listDirectory: Tool = {
  name: "list_directory",
  description: `Lists what is directly in a directory: directories first, with a slash at the end, then files with their size, and links with where they lead. At most ${mostEntries} entries. To find files at any depth, use glob.`,
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
        items: { type: "string" },
        description: 'Globs for names to leave out, e.g. ["*.log", "node_modules"].',
      },
    },
    additionalProperties: false,
  },

  async plan({ path: place = "." }, workspace) {
    const directory = await workspace.resolve(String(place));
    return {
      description: `List ${directory.display}`,
      actions: [{ type: "read", path: directory.absolute, isInside: directory.isInside }],
      details: {
        $case: "genericDetails",
        value: { description: `List the directory ${directory.absolute}` },
      },
    };
  },

  async run({ path: place = ".", ignore = [] }, run) {
    const directory = await run.workspace.resolve(String(place));
    checkPlanned("read", directory, run);
    const { default: picomatch } = await import("picomatch");
    const isIgnored = picomatch([...(ignore as readonly string[])], { dot: true });
    await using held = await openDirectory(directory);
    const { directories, others } = await readNames(held.path, isIgnored).catch((error) => {
      throw toFileError(error, directory.display);
    });
    const shown = [...directories, ...others].slice(0, mostEntries);
    const lines = await Promise.all(shown.map((name) => describeEntry(held.path, name)));
    const total = directories.length + others.length;
    if (total === 0) lines.push("(nothing)");
    if (total > shown.length) {
      const left = `${total - shown.length} of ${total} entries are left out`;
      lines.push(`[${left}; leave others out with ignore, or use glob]`);
    }
    return { result: { $case: "text", value: lines.join("\n") } };
  },
};

async function readNames(directory: string, isIgnored: (name: string) => boolean) {
  const directories: string[] = [];
  const others: string[] = [];
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (!isIgnored(entry.name)) (entry.isDirectory() ? directories : others).push(entry.name);
  }
  return { directories: directories.sort(), others: others.sort() };
}

async function describeEntry(directory: string, name: string): Promise<string> {
  const place = path.join(directory, name);
  try {
    const stats = await lstat(place);
    if (stats.isDirectory()) return `${name}/`;
    if (stats.isSymbolicLink()) return `${name} -> ${await readlink(place)}`;
    return stats.isFile() ? `${name} (${stats.size} bytes)` : `${name} (no file)`;
  } catch {
    // It went away while the directory was read.
    return `${name} (gone)`;
  }
}
