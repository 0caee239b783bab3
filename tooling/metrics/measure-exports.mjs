import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { readPublicSurface } from "../scripts/public-surface.mjs";
import { declarationsOf, findDeclaration, findReachable } from "../scripts/reachable-types.mjs";

const IMPORT = /\b(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"(@dt\/[^"]+)"/g;
const LAZY_IMPORT = /\bconst\s+\{([^}]*)\}\s*=\s*await\s+import\("(@dt\/[^"]+)"\)/g;
const FOLDERS = ["packages", "apps", "examples", "bench", "docs", "tests"];

/**
 * Counts the names that the libraries export, and how many of them are used. A name is used if code or a
 * document outside its library imports it. A name that occurs in the declaration of a used name also counts
 * as used, because a program may need it to write a type. Reads the built declarations.
 */
export function measureExports(root) {
  const surface = readPublicSurface(root);
  const imported = listUses(root);
  const entries = Object.keys(surface);
  const libraries = [...new Set(entries.map((entry) => entry.split("/").slice(0, 2).join("/")))];
  const results = libraries.map((library) => {
    const own = entries.filter((entry) => entry === library || entry.startsWith(`${library}/`));
    const names = own.flatMap((entry) =>
      [...surface[entry].values, ...surface[entry].types].map((name) => ({ entry, name })),
    );
    return { names, unused: listUnused(root, names, imported) };
  });
  const exported = results.flatMap(({ names }) => names).length;
  const unused = results.flatMap((result) => result.unused);
  return { exported, used: exported - unused.length, unused };
}

/** Lists the names of one library that are not imported and that no used name mentions. */
function listUnused(root, names, imported) {
  const isImported = ({ entry, name }) => imported.has(`${entry}#${name}`);
  const toMention = ({ entry, name }) => ({ name, file: declarationsOf(root, entry), by: entry });
  const reached = findReachable(root, names.filter(isImported).map(toMention));
  const mentioned = new Set(reached.map(({ key }) => key));
  return names.filter(
    (one) => !isImported(one) && !mentioned.has(findDeclaration(root, toMention(one))?.key),
  );
}

function listUses(root) {
  const used = new Set();
  for (const folder of FOLDERS) {
    for (const file of readdirSync(path.join(root, folder), { recursive: true })) {
      if (!/\.(?:tsx?|m?js|md)$/.test(file) || /(?:^|\/)(?:node_modules|dist)\//.test(file))
        continue;
      const own = ownPackage(root, path.join(folder, file));
      const text = readFileSync(path.join(root, folder, file), "utf8");
      for (const [, list, entry] of [...text.matchAll(IMPORT), ...text.matchAll(LAZY_IMPORT)]) {
        // Imports in a package's own README and tests are ignored.
        if (own !== undefined && (entry === own || entry.startsWith(`${own}/`))) continue;
        for (const item of list.split(",")) {
          const name = item
            .trim()
            .replace(/^type\s+/, "")
            .split(/\s+as\s+|\s*:\s*/)[0];
          if (name !== "") used.add(`${entry}#${name}`);
        }
      }
    }
  }
  return used;
}

function ownPackage(root, file) {
  const [top, name] = file.split(path.sep);
  if (top !== "packages") return undefined;
  return JSON.parse(readFileSync(path.join(root, top, name, "package.json"), "utf8")).name;
}
