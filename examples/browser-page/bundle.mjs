// Bundles the scripts of the two pages of this example: the page itself, and the page that dt serves at /join.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";

const directory = import.meta.dirname;

/**
 * Bundles an entry in the folder `src` into one script.
 *
 * @param {string} entry
 * @param {import("esbuild").Plugin[]} plugins
 */
export async function bundleScript(entry, plugins = []) {
  const { outputFiles } = await build({
    absWorkingDir: directory,
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    write: false,
    logLevel: "warning",
    plugins,
  });
  return outputFiles[0]?.text ?? "";
}

/** Reads a file in the folder `public`. */
export async function readPublic(name) {
  return await readFile(path.join(directory, "public", name), "utf8");
}
