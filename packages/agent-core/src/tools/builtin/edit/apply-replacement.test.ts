import { expect, test } from "vitest";
import { applyReplacement, type TextReplacement } from "./apply-replacement.js";

function apply(text: string | undefined, replacement: Partial<TextReplacement>): string {
  return applyReplacement(text, {
    oldString: "old",
    newString: "new",
    expected: 1,
    file: { display: "a.txt", isInside: true },
    ...replacement,
  });
}

test.each([
  ["one occurrence", "an old text", {}, "an new text"],
  ["the expected number of occurrences", "old old", { expected: 2 }, "new new"],
  [
    "characters that are special in regular expressions",
    "a.*$&",
    { oldString: ".*", newString: "$&$1" },
    "a$&$1$&",
  ],
  ["a text by an empty text", "an old text", { newString: "" }, "an  text"],
  [
    "an LF text in a file with CRLF",
    "1\r\n2\r\n3\r\n",
    { oldString: "1\n2", newString: "1\n2\n" },
    "1\r\n2\r\n\r\n3\r\n",
  ],
  ["a CRLF text in a file with CRLF", "1\r\n2\r\n", { oldString: "1\r\n", newString: "" }, "2\r\n"],
  [
    "a line in a file with mixed line ends",
    "1\r\n2\n",
    { oldString: "2\n", newString: "3\n" },
    "1\r\n3\n",
  ],
])("applyReplacement replaces %s", (_name, text, replacement, result) => {
  expect(apply(text, replacement)).toBe(result);
});

test("an empty old_string creates the text of a file that does not exist", () => {
  expect(apply(undefined, { oldString: "" })).toBe("new");
});

test.each([
  ["a missing file", undefined, {}, "not_found", "a.txt does not exist"],
  [
    "a new text that is equal to the old one",
    "old",
    { newString: "old" },
    "no_change",
    "are the same",
  ],
  [
    "an empty old text for an existing file",
    "x",
    { oldString: "" },
    "no_match",
    "old_string is empty but a.txt exists",
  ],
  [
    "an old text that the file does not contain",
    "x\ny\n",
    {},
    "no_match",
    "old_string is not in a.txt; read the file again",
  ],
  [
    "too many occurrences",
    "old\nand\nold old\n",
    {},
    "wrong_count",
    "should occur 1 time, but it occurs 3 times in a.txt (lines: 1, 3, 3); add surrounding lines until it occurs once, or set expected_replacements to 3",
  ],
  [
    "a text of several lines that occurs too often",
    "a\nb\na\nb\n",
    { oldString: "a\nb\n" },
    "wrong_count",
    "it occurs 2 times in a.txt (lines: 1, 3)",
  ],
  [
    "too few occurrences",
    "old",
    { expected: 2 },
    "wrong_count",
    "should occur 2 times, but it occurs 1 time in",
  ],
])("applyReplacement refuses %s with an explanation", (_name, text, replacement, type, message) => {
  expect(() => apply(text, replacement)).toThrow(
    expect.objectContaining({ type, message: expect.stringContaining(message) }),
  );
});

const code = "function one() {\n\treturn 1;\n}\n\nfunction two() {\n\treturn compute(2);\n}\n";

test("an old_string with wrong indentation is refused with the file's actual text", () => {
  expect(() => apply(code, { oldString: "function two() {\n  return compute(2);\n}" })).toThrow(
    "the most similar text starts at line 5; copy it exactly, indentation included:\nfunction two() {\n\treturn compute(2);\n}",
  );
});

test("an old_string with a typo is refused with the file's actual text", () => {
  expect(() => apply(code, { oldString: "return computed(2)" })).toThrow(
    "at line 6; copy it exactly, indentation included:\n\treturn compute(2);",
  );
});

test("the error for a file outside the workspace does not quote the file", () => {
  const file = { display: "/etc/a.txt", isInside: false };

  expect(() => apply(code, { oldString: "return computed(2)", file })).toThrow(
    "old_string is not in /etc/a.txt; read the file again",
  );
});

test("an old_string that is not in a large file is refused", () => {
  const text = "const value = compute(somewhere, something);\n".repeat(40_000);

  expect(() => apply(text, { oldString: "const valve = compute(1)\n".repeat(50) })).toThrow(
    "old_string is not in",
  );
});

test("the nearest text is searched for in bounded time despite a million empty lines [SEC-09]", () => {
  const lines = "\n".repeat(1_000_000);

  expect(() => apply("one\ntwo 2\n", { oldString: `${lines}two${lines}` })).toThrow(
    "the most similar text starts at line 2",
  );
  expect(() => apply("one\n", { oldString: `x${lines}y` })).toThrow("read the file again");
});
