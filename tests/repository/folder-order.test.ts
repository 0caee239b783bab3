import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type FolderImport, findBackward, statedOrder } from "./folder-order.js";
import { importGraphOf } from "./imports.js";
import { packagesUnder, readText, root, sourcesOf, type WorkspacePackage } from "./repository.js";

const packages = [...packagesUnder("packages"), ...packagesUnder("apps")].filter(({ folder }) =>
  existsSync(path.join(root, folder, "src")),
);

describe.each(packages)("import order of $folder", (pkg) => {
  const sources = sourcesOf(pkg);
  const entries = [...new Set(sources.map((file) => entryOf(pkg, file)))];
  const order = statedOrder(readText(`${pkg.folder}/README.md`), entries);

  test("all folders of the package are listed in the import order of its README", () => {
    const folders = entries.filter((entry) => !entry.includes("."));

    expect(folders.filter((folder) => !order.includes(folder))).toEqual([]);
    expect(order).not.toEqual([]);
  });

  // Type-only imports are ignored, because they load nothing.
  test("no folder of the package loads a folder that is listed after it", async () => {
    const graph = await importGraphOf(sources);
    const imports = [...graph].flatMap(([file, targets]) =>
      targets.map((target) => ({ from: entryOf(pkg, file), to: entryOf(pkg, target), file })),
    );

    expect(findBackward(imports, order).map(show)).toEqual([]);
  });
});

test("statedOrder() reads the import order from a paragraph and ignores remarks", () => {
  const readme = "Folders in import order: `a` (see `x/y`), `b.ts`,\n`c`.\n\nNot `d`.";

  expect(statedOrder(readme, ["a", "b.ts", "c", "d"])).toEqual(["a", "b.ts", "c"]);
});

test("statedOrder() reads the import order from a table", () => {
  const table = "Folders in import order:\n\n| folder |\n|---|\n| `b` |\n| `a`, `c` |\n\n`d`";

  expect(statedOrder(table, ["a", "b", "c", "d"])).toEqual(["b", "a", "c"]);
});

test.each([
  ["a", "a", false],
  ["b", "a", false],
  ["a", "b", true],
  ["b", "unstated", true],
  ["unstated", "b", false],
])("with the order a, b, an import from %s to %s is backward: %s", (from, to, isBackward) => {
  expect(findBackward([{ from, to, file: "x.ts" }], ["a", "b"])).toHaveLength(Number(isBackward));
});

/** Returns the folder of `src` that contains a file, or the file itself if it is directly in `src`. */
function entryOf({ folder }: WorkspacePackage, file: string): string {
  return path.posix.relative(`${folder}/src`, file).split("/")[0] ?? "";
}

function show({ from, to, file }: FolderImport): string {
  return `${file}: ${from} imports ${to}`;
}
