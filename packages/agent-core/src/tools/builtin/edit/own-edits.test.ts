import { expect, test } from "vitest";
import { createOwnEdits } from "./own-edits.js";

const changed = (before: string | undefined, after: string | undefined, path = "/a") => ({
  path,
  before,
  after,
});

test.each([
  ["one edit", true, changed("one", "two")],
  ["edits that follow each other", true, changed(undefined, "two")],
  ["no edit", false, changed("zero", "two")],
  ["an edit that a later edit changed", false, changed(undefined, "one")],
  ["edits in the other order", false, changed("two", "one")],
  ["an edit of another file", false, changed("one", "two", "/b")],
])("hasMade for %s returns %s", (_name, isOwn, asked) => {
  const ownEdits = createOwnEdits();
  ownEdits.record(changed(undefined, "one"));
  ownEdits.record(changed("one", "two"));

  expect(ownEdits.hasMade(asked)).toBe(isOwn);
});

test("edits from before a change by someone else are forgotten", () => {
  const ownEdits = createOwnEdits();
  ownEdits.record(changed("one", "two"));
  ownEdits.record(changed("theirs", "three"));

  expect(ownEdits.hasMade(changed("one", "three"))).toBe(false);
  expect(ownEdits.hasMade(changed("theirs", "three"))).toBe(true);
});
