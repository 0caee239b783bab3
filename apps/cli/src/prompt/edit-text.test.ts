import fc from "fast-check";
import { expect, test } from "vitest";
import * as edit from "./edit-text.js";

/** Parses a text whose cursor is written as "|". */
function at(marked: string): edit.EditText {
  return { text: marked.replace("|", ""), cursor: marked.indexOf("|") };
}

function show({ text, cursor }: edit.EditText): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

test.each<[string, string, string, (text: edit.EditText) => edit.EditText]>([
  ["insert", "a|b", "axy|b", (text) => edit.insert(text, "xy")],
  ["deleteBackward", "ab|c", "a|c", edit.deleteBackward],
  ["deleteBackward", "|c", "|c", edit.deleteBackward],
  ["deleteBackward", "a👩‍👩‍👧|", "a|", edit.deleteBackward],
  ["deleteBackward", "e\u0301|", "|", edit.deleteBackward],
  ["deleteForward", "a|👍🏽b", "a|b", edit.deleteForward],
  ["deleteForward", "a|", "a|", edit.deleteForward],
  ["moveLeft", "a😀|", "a|😀", edit.moveLeft],
  ["moveLeft", "|a", "|a", edit.moveLeft],
  ["moveRight", "a|😀", "a😀|", edit.moveRight],
  ["moveRight", "a|", "a|", edit.moveRight],
  ["moveWordLeft", "one two-three|", "one two-|three", edit.moveWordLeft],
  ["moveWordLeft", "one   |two", "|one   two", edit.moveWordLeft],
  ["moveWordRight", "|one two", "one| two", edit.moveWordRight],
  ["moveWordRight", "one|  two", "one  two|", edit.moveWordRight],
  ["moveToLineStart", "a\nbc|d", "a\n|bcd", edit.moveToLineStart],
  ["moveToLineStart", "|a", "|a", edit.moveToLineStart],
  ["moveToLineEnd", "a|b\nc", "ab|\nc", edit.moveToLineEnd],
])("%s changes %j to %j", (_, before, after, change) => {
  expect(show(change(at(before)))).toBe(after);
});

test.each<[string, string, string, string, (text: edit.EditText) => edit.Killed]>([
  ["killToLineEnd", "a|bc\nd", "a|\nd", "bc", edit.killToLineEnd],
  ["killToLineEnd", "a|\nd", "a|d", "\n", edit.killToLineEnd],
  ["killToLineEnd", "a|", "a|", "", edit.killToLineEnd],
  ["killToLineStart", "a\nbc|d", "a\n|d", "bc", edit.killToLineStart],
  ["killWordBackward", "one two |x", "one |x", "two ", edit.killWordBackward],
  ["killWordForward", "one| two x", "one| x", " two", edit.killWordForward],
])("%s changes %j to %j and returns the cut text %j", (_, before, after, killed, change) => {
  const outcome = change(at(before));

  expect([show(outcome.edit), outcome.killed]).toEqual([after, killed]);
});

test("the cursor stays inside the text after any sequence of edits", () => {
  const acts = [
    edit.deleteBackward,
    edit.deleteForward,
    edit.moveLeft,
    edit.moveRight,
    edit.moveWordLeft,
    edit.moveWordRight,
    edit.moveToLineStart,
    edit.moveToLineEnd,
    (text: edit.EditText) => edit.killToLineEnd(text).edit,
    (text: edit.EditText) => edit.killWordBackward(text).edit,
    (text: edit.EditText) => edit.insert(text, "ä\n😀"),
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...acts)), (done) => {
      const { text, cursor } = done.reduce((now, act) => act(now), edit.EMPTY_TEXT);
      expect(cursor).toBeGreaterThanOrEqual(0);
      expect(cursor).toBeLessThanOrEqual(text.length);
      expect(text).not.toMatch(/\p{Surrogate}/u);
    }),
  );
});

test.each([
  ["spaces", " ".repeat(600_000), 0],
  ["one word", "a".repeat(600_000), 0],
  ["words and trailing spaces", `a ${"b".repeat(9)}${" ".repeat(600_000)}`, 2],
  ["surrogate pairs", `a.${"𝒳".repeat(300_000)}`, 2],
])("the start of the word is found in a long text of %s [SEC-09]", (_, text, cursor) => {
  expect(edit.moveWordLeft(edit.textAtEnd(text)).cursor).toBe(cursor);
});
