import { expect, test } from "vitest";
import { createOwnEdits } from "./own-edits.js";

const changed = (before: string | undefined, after: string | undefined, path = "/a") => ({
  path,
  before,
  after,
});

test.each([
  ["a change by one edit", true, changed("one", "two")],
  ["a change by two edits in a row", true, changed(undefined, "two")],
  ["a change from a text that was never recorded", false, changed("zero", "two")],
  ["a change that a later edit overwrote", false, changed(undefined, "one")],
  ["a recorded change in reverse", false, changed("two", "one")],
  ["a change of another file", false, changed("one", "two", "/b")],
])("hasMade for %s returns %s", (_name, isOwn, asked) => {
  const ownEdits = createOwnEdits();
  ownEdits.record(changed(undefined, "one"));
  ownEdits.record(changed("one", "two"));

  expect(ownEdits.hasMade(asked)).toBe(isOwn);
});

test("edits that were made before a change by someone else are forgotten", () => {
  const ownEdits = createOwnEdits();
  ownEdits.record(changed("one", "two"));
  ownEdits.record(changed("theirs", "three"));

  expect(ownEdits.hasMade(changed("one", "three"))).toBe(false);
  expect(ownEdits.hasMade(changed("theirs", "three"))).toBe(true);
});
