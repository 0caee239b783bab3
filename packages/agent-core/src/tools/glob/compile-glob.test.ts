import { expect, test } from "vitest";
import { compileGlob } from "./compile-glob.js";
import { MAX_GLOB_LENGTH } from "./parse-glob.js";

test.each([
  ["*.ts", ["a.ts", ".ts", ".a.ts"], ["a.tsx", "src/a.ts"]],
  ["**/*.ts", ["a.ts", "src/a.ts", "src/deep/.x/a.ts"], ["a.js", "src/a.tsx"]],
  ["src/**", ["src/a", "src/deep/a"], ["a", "srcs/a"]],
  ["src/**/test/*.js", ["src/test/a.js", "src/a/b/test/c.js"], ["src/tests/a.js", "test/a.js"]],
  ["**", ["a", "a/b/c"], []],
  ["a**b", ["ab", "axxb"], ["a/b"]],
  ["?.md", ["a.md", "é.md", "😀.md"], [".md", "ab.md", "/.md"]],
  ["[a-c]x", ["ax", "cx"], ["dx", "-x"]],
  ["[!a-c]x", ["dx"], ["ax", "/x"]],
  ["[^a]", ["b"], ["a"]],
  ["[]a-]", ["]", "a", "-"], ["b"]],
  ["*.{js,ts}", ["a.js", "a.ts"], ["a.jsx", "a.{js,ts}"]],
  ["{src,test/{unit,e2e}}/*.ts", ["src/a.ts", "test/unit/a.ts"], ["test/a.ts"]],
  ["a{,b}", ["a", "ab"], ["b"]],
  ["{**/a,b}", ["x/y/a", "a", "b"], ["x/b"]],
  ["\\*\\{", ["*{"], ["a{"]],
  ["a,b}", ["a,b}"], ["a"]],
  ["(a+)+b", ["(a+)+b"], ["aab"]],
  ["", [""], ["a"]],
])("the glob %j matches each of %j and none of %j", (pattern, fitting, others) => {
  const { matches } = compileGlob(pattern);

  expect(fitting.filter((name) => !matches(name))).toEqual([]);
  expect(others.filter(matches)).toEqual([]);
});

test.each(["a[b", "{a,b", "{a,{b}"])(
  "the glob %s is refused because a bracket or brace is not closed",
  (pattern) => {
    expect(() => compileGlob(pattern)).toThrow(
      expect.objectContaining({ type: "invalid_pattern" }),
    );
  },
);

test("a glob that is too long is refused", () => {
  expect(() => compileGlob("a".repeat(MAX_GLOB_LENGTH + 1))).toThrow(
    `a glob may have at most ${MAX_GLOB_LENGTH} characters, not ${MAX_GLOB_LENGTH + 1}`,
  );
});

test.each([
  ["many stars", `${"*a".repeat(127)}b`],
  ["many directories", `${"**/".repeat(80)}b`],
  ["nested choices", `${"{a,{*,".repeat(30)}b${"}}".repeat(30)}`],
  ["repeated choices", `${"{a,a*}".repeat(40)}b`],
  ["groups of regular expressions", `${"(a+)+".repeat(40)}b`],
  ["extended globs", `${"+(a|a*)".repeat(30)}b`],
  ["ranges of numbers", "{1..999999999}{1..999999999}"],
])(
  "a glob with %s has few states and is compared with a name in linear time [SEC-09]",
  (_name, pattern) => {
    const { states, matches } = compileGlob(pattern);

    expect(states).toBeLessThanOrEqual(3 * pattern.length);
    expect(matches(`${"a/".repeat(1000)}${"a".repeat(2000)}c`)).toBe(false);
  },
);
