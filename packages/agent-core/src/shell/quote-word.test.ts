import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { quoteWord } from "./quote-word.js";

test.each([
  ["plain", "plain"],
  ["/usr/bin/node", "/usr/bin/node"],
  ["--port=80", "--port=80"],
  ["@scope/server@1.0", "@scope/server@1.0"],
  ["", "''"],
  ["a b", "'a b'"],
  ["it's", "'it'\\''s'"],
  ["$(rm x)", "'$(rm x)'"],
  ["A=1", "'A=1'"],
  ["~", "'~'"],
  ["a\nb", "'a\nb'"],
  ["naïve", "'naïve'"],
])("the word %j is quoted as %j", (word, quoted) => {
  expect(quoteWord(word)).toBe(quoted);
});

test("a shell reads every quoted word unchanged", () => {
  const character = fc.constantFrom(..."ab =-'\"\\$`*?[]{}~#!&|;<>()\n\té%@");
  const words = fc.array(fc.string({ unit: character, maxLength: 6 }), {
    minLength: 1,
    maxLength: 20,
  });

  fc.assert(
    fc.property(words, (list) => {
      const read = execFileSync("sh", ["-c", `printf '%s\\0' ${list.map(quoteWord).join(" ")}`]);

      expect(read.toString().split("\0").slice(0, -1)).toEqual(list);
    }),
    { numRuns: 50 },
  );
});
