import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { readPublicSurface } from "../scripts/public-surface.mjs";

const IMPORT = /\b(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"(@dt\/[^"]+)"/g;
const FOLDERS = ["packages", "apps", "examples", "bench", "docs", "tests"];

/** Counts the exported names of the libraries and those that another package, example or document imports. */
export function measureExports(root) {
  const surface = readPublicSurface(root);
  const used = listUses(root);
  const names = Object.entries(surface).flatMap(([entry, { values, types }]) =>
    [...values, ...types].map((name) => ({ entry, name })),
  );
  const unused = names.filter(({ entry, name }) => !used.has(`${entry}#${name}`));
  return { exported: names.length, used: names.length - unused.length, unused };
}

function listUses(root) {
  const used = new Set();
  for (const folder of FOLDERS) {
    for (const file of readdirSync(path.join(root, folder), { recursive: true })) {
      if (!/\.(?:tsx?|m?js|md)$/.test(file) || /(?:^|\/)(?:node_modules|dist)\//.test(file))
        continue;
      const own = ownPackage(root, path.join(folder, file));
      const text = readFileSync(path.join(root, folder, file), "utf8");
      for (const [, list, entry] of text.matchAll(IMPORT)) {
        // Imports in a package's own README and tests do not count.
        if (own !== undefined && (entry === own || entry.startsWith(`${own}/`))) continue;
        for (const item of list.split(",")) {
          const name = item
            .trim()
            .replace(/^type\s+/, "")
            .split(/\s+as\s+/)[0];
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
