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

test.each<[string, (text: edit.EditText) => edit.EditText, string, string]>([
  ["insert", (text) => edit.insert(text, "xy"), "a|b", "axy|b"],
  ["deleteBackward", edit.deleteBackward, "ab|c", "a|c"],
  ["deleteBackward", edit.deleteBackward, "|c", "|c"],
  ["deleteBackward", edit.deleteBackward, "a👩‍👩‍👧|", "a|"],
  ["deleteBackward", edit.deleteBackward, "e\u0301|", "|"],
  ["deleteForward", edit.deleteForward, "a|👍🏽b", "a|b"],
  ["deleteForward", edit.deleteForward, "a|", "a|"],
  ["moveLeft", edit.moveLeft, "a😀|", "a|😀"],
  ["moveLeft", edit.moveLeft, "|a", "|a"],
  ["moveRight", edit.moveRight, "a|😀", "a😀|"],
  ["moveRight", edit.moveRight, "a|", "a|"],
  ["moveWordLeft", edit.moveWordLeft, "one two-three|", "one two-|three"],
  ["moveWordLeft", edit.moveWordLeft, "one   |two", "|one   two"],
  ["moveWordRight", edit.moveWordRight, "|one two", "one| two"],
  ["moveWordRight", edit.moveWordRight, "one|  two", "one  two|"],
  ["moveToLineStart", edit.moveToLineStart, "a\nbc|d", "a\n|bcd"],
  ["moveToLineStart", edit.moveToLineStart, "|a", "|a"],
  ["moveToLineEnd", edit.moveToLineEnd, "a|b\nc", "ab|\nc"],
])("%s changes text and cursor, case %#", (_, change, before, after) => {
  expect(show(change(at(before)))).toBe(after);
});

test.each<[string, (text: edit.EditText) => edit.Killed, string, string, string]>([
  ["killToLineEnd", edit.killToLineEnd, "a|bc\nd", "a|\nd", "bc"],
  ["killToLineEnd", edit.killToLineEnd, "a|\nd", "a|d", "\n"],
  ["killToLineEnd", edit.killToLineEnd, "a|", "a|", ""],
  ["killToLineStart", edit.killToLineStart, "a\nbc|d", "a\n|d", "bc"],
  ["killWordBackward", edit.killWordBackward, "one two |x", "one |x", "two "],
  ["killWordForward", edit.killWordForward, "one| two x", "one| x", " two"],
])("%s cuts text and returns it, case %#", (_, change, before, after, killed) => {
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
