import fc from "fast-check";
import { expect, test } from "vitest";
import { showControl, showControlOnLine } from "./show-control.js";

test.each([
  ["plain text, äöü, 漢字, 👩‍👩‍👧, \ttab\nline", "plain text, äöü, 漢字, 👩‍👩‍👧, \ttab\nline"],
  ["\x1b[2J", "␛[2J"],
  ["\x1b]0;title\x07", "␛]0;title␇"],
  ["a\r\nb\rc", "a\nb␍c"],
  ["\b\0\x7f", "␈␀␡"],
  ["\x9b31m\x85", "\\u{9b}31m\\u{85}"],
  ["\u202Egnp.exe\u2066", "\\u{202e}gnp.exe\\u{2066}"],
  ["zero\u200Bwidth\uFEFF", "zero\\u{200b}width\\u{feff}"],
  ["\u2028", "\\u{2028}"],
  ["\u{E0041}", "\\u{e0041}"],
  ["\uD800x", "\ufffdx"],
])("the text %j is shown as %j", (text, shown) => {
  expect(showControl(text)).toBe(shown);
});

test("a line break is shown as a symbol if the text must stay on one line", () => {
  expect(showControlOnLine("a\nb\tc\x1b")).toBe("a↵b c␛");
});

test("showControl returns no character that a terminal interprets, for any text", () => {
  // Matches control characters, lone surrogates, and format characters that emoji do not need.
  const obeyed = /[\p{Cc}\p{Cs}\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
  const character = fc.oneof(
    fc.integer({ min: 0, max: 0x2100 }).map((code) => String.fromCharCode(code)),
    fc.string({ unit: "binary", maxLength: 2 }),
    fc.constantFrom("\x1b[", "\x9b", "\u202e", "\r\n", "\ud83d"),
  );
  fc.assert(
    fc.property(fc.array(character, { maxLength: 30 }), (characters) => {
      const shown = showControl(characters.join(""));
      expect(shown.replace(/[\n\t]/g, "")).not.toMatch(obeyed);
      expect(showControl(shown)).toBe(shown);
    }),
    { numRuns: 2000 },
  );
});
