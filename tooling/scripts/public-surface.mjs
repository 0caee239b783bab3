// Reads the exported names of each library from the sources of its entries. `export *` is refused, because
// the text of an entry must list every name.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

export const LIBRARIES = ["schema", "agent-core", "server", "client", "acp"];

/** Maps each entry to its exported values and types, both sorted. */
export function readPublicSurface(root) {
  return Object.fromEntries(
    LIBRARIES.flatMap((library) =>
      entriesOf(root, library).map(({ specifier, file }) => {
        const exported = exportsOf(path.join(root, file));
        const names = (isType) =>
          exported
            .filter((one) => one.isType === isType)
            .map(({ name }) => name)
            .sort();
        return [specifier, { values: names(false), types: names(true) }];
      }),
    ),
  );
}

/** Lists the entries of a library: the import specifier and the source file of each. */
export function entriesOf(root, library) {
  const folder = `packages/${library}`;
  const manifest = JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8"));
  return Object.entries(manifest.exports)
    .filter(([subpath]) => !subpath.endsWith(".json"))
    .map(([subpath, target]) => ({
      specifier: manifest.name + subpath.slice(1),
      file: `${folder}/${builtFileOf(target).replace("./dist/esm/", "src/").replace(/\.js$/, ".ts")}`,
    }))
    .filter(({ file }) => existsSync(path.join(root, file)));
}

/** Returns the built file of an entry. A package with only ES modules has no separate target for `import`. */
function builtFileOf(target) {
  return (target.import ?? target).default;
}

/** Lists the exported names of a source, each with its declared name and declaring file. */
export function exportsOf(file) {
  const source = readFileSync(file, "utf8");
  if (/^export \*/m.test(source)) {
    throw new Error(`${file} contains "export *"; list the exported names instead`);
  }
  return [...listedExports(file, source), ...declaredExports(file, source)];
}

function listedExports(file, source) {
  const statement = /^export (type )?\{([^}]*)\}(?: from "([^"]+)")?;/gm;
  return [...source.matchAll(statement)].flatMap(([, typeOnly, list, from]) =>
    list
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
      .map((item) => {
        const [, isType, declaredName, name] = item.match(/^(type )?(\w+)(?: as (\w+))?$/);
        return {
          name: name ?? declaredName,
          declaredName,
          isType: typeOnly !== undefined || isType !== undefined,
          declaredIn: from === undefined ? file : sourceOf(file, from),
        };
      }),
  );
}

function declaredExports(file, source) {
  const declaration =
    /^export (?:declare )?(?:abstract )?(?:async )?(function\*?|const|let|class|enum|interface|type) (\w+)/gm;
  return [...source.matchAll(declaration)].map(([, keyword, name]) => ({
    name,
    declaredName: name,
    isType: keyword === "interface" || keyword === "type",
    declaredIn: file,
  }));
}

function sourceOf(importer, specifier) {
  if (!specifier.startsWith(".")) return undefined;
  const base = path.join(path.dirname(importer), specifier).replace(/\.js$/, "");
  return [`${base}.ts`, `${base}.tsx`].find((file) => existsSync(file));
}
