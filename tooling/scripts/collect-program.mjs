// Collects in a directory the files that a built program needs at run time: its bundle, and the libraries that are
// not bundled, in the versions of the lock file. Usage: node tooling/scripts/collect-program.mjs apps/server DIRECTORY
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";

const [program, target] = process.argv.slice(2);
if (program === undefined || target === undefined) {
  console.error("usage: node tooling/scripts/collect-program.mjs PROGRAM DIRECTORY");
  process.exit(2);
}

const source = path.resolve(program);
const out = path.resolve(target);
const { name, version, type, bin, license, dependencies } = readPackage(source);
const libraries = Object.keys(dependencies).filter((each) => !each.startsWith("@dt/"));

mkdirSync(out, { recursive: true });
cpSync(path.join(source, "dist"), path.join(out, "dist"), {
  recursive: true,
  filter: (file) => !file.endsWith(".map"),
});
cpSync("LICENSE", path.join(out, "LICENSE"));
const versions = libraries.map((library) => [library, copyLibrary(library, source, out)]);
const manifest = { name, version, private: true, type, bin, license };
const described = { ...manifest, dependencies: Object.fromEntries(versions) };
writeFileSync(path.join(out, "package.json"), `${JSON.stringify(described, null, 2)}\n`);

/**
 * Copies a library and its dependencies, and returns the library's version. The copy goes into the top-level
 * `node_modules`, or below the package that needs the library if the top level has another version of it.
 */
function copyLibrary(library, from, parent) {
  const directory = findLibrary(library, from);
  const found = readPackage(directory);
  const top = path.join(out, "node_modules", library);
  const isTaken = existsSync(top) && readPackage(top).version !== found.version;
  const place = isTaken ? path.join(parent, "node_modules", library) : top;
  if (existsSync(place)) return found.version;
  cpSync(directory, place, {
    recursive: true,
    filter: (file) =>
      !isNested(path.relative(directory, file)) && !/\.(map|d\.[cm]?ts)$/.test(file),
  });
  const optional = { ...found.optionalDependencies, ...found.peerDependencies };
  for (const each of Object.keys(found.dependencies ?? {})) copyLibrary(each, directory, place);
  for (const each of Object.keys(optional)) {
    if (tryFindLibrary(each, directory) !== undefined) copyLibrary(each, directory, place);
  }
  return found.version;
}

function isNested(relative) {
  return relative.split(path.sep).includes("node_modules");
}

function findLibrary(library, from) {
  const found = tryFindLibrary(library, from);
  if (found === undefined) throw new Error(`${library} is not installed; run npm test once`);
  return found;
}

/** Finds an installed package as Node does: in `node_modules` of a directory or of one above it. */
function tryFindLibrary(library, from) {
  for (let directory = from; ; directory = path.dirname(directory)) {
    const candidate = path.join(directory, "node_modules", library);
    if (existsSync(candidate)) return realpathSync(candidate);
    if (directory === path.dirname(directory)) return undefined;
  }
}

function readPackage(directory) {
  return JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8"));
}
