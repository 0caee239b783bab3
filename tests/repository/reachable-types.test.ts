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

// A plugin that emits declarations must be able to write down every type that it is given, where
// @dt/schema is not within its reach.
test.each([
  ["@dt/client", "index.d.ts", ["@dt/client"]],
  ["@dt/client/testing", "testing/index.d.ts", ["@dt/client", "@dt/client/testing"]],
])("every type that a signature of %s names is exported [PKG-04]", (_, entry, from) => {
  const exported = new Set(from.flatMap(namesOf));
  const reached = reachableTypes(path.join(root, "packages/client/dist/esm", entry));

  const missing = reached
    .filter(({ name }) => !exported.has(name))
    .map(({ name, file, by }) => `${name} (${file}), named by ${by}`);

  expect(reached.length).toBeGreaterThan(exported.size / 2);
  expect(missing).toEqual([]);
});
