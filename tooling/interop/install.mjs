import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const SCRATCH = path.resolve(import.meta.dirname, "../../node_modules/.cache/dt-interop");
const STAMP = "complete.json";

/**
 * Installs a client or an agent into its own folder, unless it is installed already. Returns the folder, the address
 * of a module that imports the client, and the installed version.
 *
 * @param {Pick<import("./clients.mjs").Client, "folder" | "packages" | "imports">} client
 */
export function installClient({ folder, packages, imports }, { isFresh }) {
  const directory = path.join(SCRATCH, folder);
  const wanted = JSON.stringify(packages);
  const stamp = path.join(directory, STAMP);
  const isComplete = existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;
  if (isFresh || !isComplete) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    runNpm(directory, packages);
    writeFileSync(stamp, wanted);
  }
  const entry = path.join(directory, "entry.mjs");
  writeFileSync(entry, toEntry(imports));
  return {
    directory,
    entry: pathToFileURL(entry).href,
    version: versionOf(directory, Object.keys(packages)[0]),
  };
}

function runNpm(directory, packages) {
  const names = Object.keys(packages).join(", ");
  const manifest = { private: true, type: "module", dependencies: packages };
  writeFileSync(path.join(directory, "package.json"), JSON.stringify(manifest));
  process.stderr.write(`installing ${names} … `);
  // npm does not run the scripts of packages, because no client needs them.
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const { status, stderr, error } = spawnSync("npm", args, {
    cwd: directory,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm cannot install ${names}: ${error ?? stderr}`);
  process.stderr.write("done\n");
}

/**
 * Returns the source of the module that imports the client's packages. The module is written into the
 * client's folder, so that Node finds the packages.
 */
function toEntry(imports) {
  return Object.entries(imports)
    .map(([name, specifier]) => `export * as ${name} from ${JSON.stringify(specifier)};\n`)
    .join("");
}

function versionOf(directory, name) {
  const file = path.join(directory, "node_modules", name, "package.json");
  return JSON.parse(readFileSync(file, "utf8")).version;
}
