import { expect, test } from "vitest";
import { createOwnEdits } from "./own-edits.js";

const step = (before: string | undefined, after: string | undefined, path = "/a") => ({
  path,
  before,
  after,
});

test.each([
  ["one edit", step("one", "two"), true],
  ["edits that follow each other", step(undefined, "two"), true],
  ["no edit", step("zero", "two"), false],
  ["an edit that was edited again", step(undefined, "one"), false],
  ["edits in the other order", step("two", "one"), false],
  ["an edit of another file", step("one", "two", "/b"), false],
])("hasMade recognises %s", (_name, asked, isOwn) => {
  const ownEdits = createOwnEdits();
  ownEdits.note(step(undefined, "one"));
  ownEdits.note(step("one", "two"));

  expect(ownEdits.hasMade(asked)).toBe(isOwn);
});

test("an edit of a foreign text does not make that text ours", () => {
  const ownEdits = createOwnEdits();
  ownEdits.note(step("one", "two"));
  ownEdits.note(step("theirs", "three"));

  expect(ownEdits.hasMade(step("one", "three"))).toBe(false);
  expect(ownEdits.hasMade(step("theirs", "three"))).toBe(true);
});
