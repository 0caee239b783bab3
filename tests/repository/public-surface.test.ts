import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import {
  type Entry,
  type Exported,
  entriesOf,
  exportsOf,
  LIBRARIES,
  type PublicSurface,
  readPublicSurface,
} from "../../tooling/scripts/public-surface.mjs";
import { readText, root } from "./repository.js";

const committed = JSON.parse(readText("tests/repository/public-surface.json")) as PublicSurface;
const entries = LIBRARIES.flatMap((library) => entriesOf(root, library));

test("the exported names of the packages equal the names in public-surface.json", () => {
  const surface = readPublicSurface(root);

  expect(surface, "after a review: node tooling/scripts/write-public-surface.mjs").toEqual(
    committed,
  );
});

test.each(entries)(
  "$specifier exports at run time the values that its source exports [PKG-04]",
  async ({ specifier }) => {
    const built = (await import(specifier)) as Record<string, unknown>;

    expect(Object.keys(built).sort()).toEqual(committed[specifier]?.values);
  },
);

test.each(entries)("every exported name of $specifier has a doc comment", (entry) => {
  expect(undocumentedNamesOf(entry)).toEqual([]);
});

function undocumentedNamesOf({ file }: Entry): string[] {
  return (
    exportsOf(path.join(root, file))
      // A name that another package declares is checked at the entry of that package.
      .filter((exported) => exported.declaredIn !== undefined && !hasJsDoc(exported))
      .map(({ name, declaredIn }) => `${name} (${path.relative(root, declaredIn ?? file)})`)
  );
}

function hasJsDoc({ declaredIn, declaredName }: Exported): boolean {
  const lines = readFileSync(declaredIn ?? "", "utf8").split("\n");
  const declaration = new RegExp(
    `^export (?:declare )?(?:abstract )?(?:async )?(?:function\\*?|const|let|class|enum|interface|type) ${declaredName}\\b`,
  );
  const at = lines.findIndex((line) => declaration.test(line));
  if (at < 1 || lines[at - 1]?.trimEnd().endsWith("*/") !== true) return false;
  const opening = lines.slice(0, at).findLast((line) => line.includes("/*"));
  return opening?.trimStart().startsWith("/**") === true;
}
