import { expect, test } from "vitest";
import { citedIn, readCitations } from "./citations.js";
import { pending } from "./pending.js";
import { requirements } from "./requirements.js";

const ids = new Set(requirements.map(({ id }) => id));
const citations = readCitations();
const cited = new Set(citations.map(({ id }) => id));

test("every requirement id is unique", () => {
  expect(requirements).toHaveLength(ids.size);
});

test("every requirement is cited by a test or pending", () => {
  const forgotten = requirements.filter(({ id }) => !cited.has(id) && !Object.hasOwn(pending, id));

  expect(forgotten).toEqual([]);
});

test("every citation names a requirement", () => {
  expect(citations.filter(({ id }) => !ids.has(id))).toEqual([]);
});

test("every pending id names a requirement and has a reason", () => {
  const faults = Object.entries(pending).filter(([id, why]) => !ids.has(id) || why.trim() === "");

  expect(faults).toEqual([]);
});

test("a pending requirement that a test cites states what is missing", () => {
  const unclear = Object.entries(pending).filter(
    ([id, why]) => cited.has(id) && !why.startsWith("missing: "),
  );

  expect(unclear, "take it off the list, or begin its reason with “missing: ”").toEqual([]);
});

test.each([
  ['test("a name [RFC-11]", () => {});', ["RFC-11"]],
  ['test.each(all)(\n  "%s [RFC-11, LOG-02]",\n);', ["RFC-11", "LOG-02"]],
  ["describe(`of some name [SEC-01]`, () => {});", ["SEC-01"]],
  ['// "a comment [RFC-11]"\ntest("nothing", () => {});', []],
  ["const ids = [RFC - 11];", []],
])("the citations of %j are found", (source, expected) => {
  expect(citedIn(source)).toEqual(expected);
});
