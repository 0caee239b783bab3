import path from "node:path";
import { expect, test } from "vitest";
import { readPublicSurface } from "../../tooling/scripts/public-surface.mjs";
import { reachableTypes } from "./reachable-types.js";
import { root } from "./repository.js";

const surface = readPublicSurface(root);
const namesOf = (entry: string) => [
  ...(surface[entry]?.values ?? []),
  ...(surface[entry]?.types ?? []),
];

const entries = {
  "@dt/client": "index.d.ts",
  "@dt/client/testing": "testing/index.d.ts",
} as const;
const reachedFrom = (entry: keyof typeof entries) =>
  reachableTypes(path.join(root, "packages/client/dist/esm", entries[entry]));

// A plugin that emits declarations must be able to name every type of a signature, although it cannot import
// @dt/schema.
test.each([
  ["@dt/client", ["@dt/client"]],
  ["@dt/client/testing", ["@dt/client", "@dt/client/testing"]],
] as const)("every type in a signature of %s is exported [PKG-04]", (entry, from) => {
  const exported = new Set(from.flatMap(namesOf));
  const reached = reachedFrom(entry);

  const missing = reached
    .filter(({ name }) => !exported.has(name))
    .map(({ name, file, by }) => `${name} (${file}), named by ${by}`);

  expect(reached.length).toBeGreaterThan(exported.size / 2);
  expect(missing).toEqual([]);
});

test("no type of a public signature contains any [PKG-04]", () => {
  const loose = reachedFrom("@dt/client").filter(({ text }) => /\bany\b/.test(text));

  expect(loose.map(({ name, file }) => `${name} (${file})`)).toEqual([]);
});
