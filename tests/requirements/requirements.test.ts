import { expect, test } from "vitest";
import { citedIn, readCitations } from "./citations.js";
import { PENDING } from "./pending.js";
import { REQUIREMENTS } from "./requirements.js";

const ids = new Set(REQUIREMENTS.map(({ id }) => id));
const citations = readCitations();
const cited = new Set(citations.map(({ id }) => id));

test("every requirement id is unique", () => {
  expect(REQUIREMENTS).toHaveLength(ids.size);
});

test("every requirement is cited by a test or pending", () => {
  const forgotten = REQUIREMENTS.filter(({ id }) => !cited.has(id) && !Object.hasOwn(PENDING, id));

  expect(forgotten).toEqual([]);
});

test("every id that a test cites belongs to a requirement", () => {
  expect(citations.filter(({ id }) => !ids.has(id))).toEqual([]);
});

test("every pending id belongs to a requirement and has a reason", () => {
  const faults = Object.entries(PENDING).filter(([id, why]) => !ids.has(id) || why.trim() === "");

  expect(faults).toEqual([]);
});

test("a pending requirement that a test cites has a reason that says what is missing", () => {
  const unclear = Object.entries(PENDING).filter(
    ([id, why]) => cited.has(id) && !why.startsWith("missing: "),
  );

  expect(unclear, "remove it from PENDING, or begin its reason with “missing: ”").toEqual([]);
});

test.each([
  ['test("a name [RFC-11]", () => {});', ["RFC-11"]],
  ['test.each(all)(\n  "%s [RFC-11, LOG-02]",\n);', ["RFC-11", "LOG-02"]],
  ["describe(`of some name [SEC-01]`, () => {});", ["SEC-01"]],
  ['// "a comment [RFC-11]"\ntest("nothing", () => {});', []],
  ["const ids = [RFC - 11];", []],
])("citedIn() finds the ids in %j", (source, expected) => {
  expect(citedIn(source)).toEqual(expected);
});
