import { expect, test } from "vitest";
import { readPublicSurface } from "../../tooling/scripts/public-surface.mjs";
import { exportedFrom, findReachable } from "../../tooling/scripts/reachable-types.mjs";
import { root } from "./repository.js";

const surface = readPublicSurface(root);
const namesOf = (entry: string) => [
  ...(surface[entry]?.values ?? []),
  ...(surface[entry]?.types ?? []),
];
const isTypeName = (name: string) => /^[A-Z][a-z]/.test(name);
const reachedFrom = (entry: string) => findReachable(root, exportedFrom(root, entry));

// A plugin that emits declarations must be able to import every type of our signatures, even if the plugin
// does not depend on @dt/schema.
test.each([
  ["@dt/client", ["@dt/client"]],
  ["@dt/client/testing", ["@dt/client", "@dt/client/testing"]],
] as const)("%s exports every type that its signatures mention [PKG-04]", (entry, from) => {
  const exported = new Set(from.flatMap(namesOf));
  const reached = reachedFrom(entry);

  const missing = reached
    .filter(({ name }) => !exported.has(name) && isTypeName(name))
    .map(({ name, file, by }) => `${name} (${file}), mentioned by ${by}`);

  expect(reached.length).toBeGreaterThan(exported.size / 2);
  expect(missing).toEqual([]);
});

test("no public type of @dt/client contains the type `any` [PKG-04]", () => {
  const loose = reachedFrom("@dt/client").filter(({ text }) => /\bany\b/.test(text));

  expect(loose.map(({ name, file }) => `${name} (${file})`)).toEqual([]);
});
