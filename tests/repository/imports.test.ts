import { expect, test } from "vitest";
import { findCycles, packageNameOf, specifiersIn } from "./imports.js";

test.each([
  ['import { a } from "x";', ["x"]],
  ['import type { A } from "x";', ["x"]],
  ['import {\n  a,\n  type B,\n} from "x";\nimport c from "y";', ["x", "y"]],
  ['export { a } from "x";\nexport type { B } from "y";\nexport * from "z";', ["x", "y", "z"]],
  ['import "x";', ["x"]],
  ['const a = await import("x");', ["x"]],
  ['const a = require("x");', ["x"]],
  ['// import { a } from "x";\n/* import "y"; */', []],
  ['const url = "http://x"; import "y";', ["y"]],
  ['const text = "import it from there";\nexport const a = 1;', []],
])("specifiersIn() finds the imported modules of %j", (source, specifiers) => {
  expect(specifiersIn(source)).toEqual(specifiers);
});

test("findCycles() returns the files of an import cycle", () => {
  const graph = new Map([
    ["a", ["b"]],
    ["b", ["c", "d"]],
    ["c", ["b"]],
    ["d", []],
  ]);

  expect(findCycles(graph)).toEqual([["b", "c", "b"]]);
});

test("findCycles() returns nothing for two import paths to the same file", () => {
  const graph = new Map([
    ["a", ["b", "c"]],
    ["b", ["c"]],
    ["c", []],
  ]);

  expect(findCycles(graph)).toEqual([]);
});

test("packageNameOf() returns the package of a subpath", () => {
  expect(["@dt/schema/wire", "@dt/schema", "ws/lib/x", "ws"].map(packageNameOf)).toEqual([
    "@dt/schema",
    "@dt/schema",
    "ws",
    "ws",
  ]);
});
