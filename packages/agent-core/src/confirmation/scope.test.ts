import { expect, test } from "vitest";
import { scopeKey, toScope } from "./scope.js";

test.each([
  [["a"], ["b"]],
  [
    ["a:b", "c"],
    ["a", "b:c"],
  ],
  [["a\\", "b"], ["a\\:b"]],
  [["a:"], ["a", ""]],
])("the fields %j and %j get different keys", (one, other) => {
  expect(scopeKey("mcp", ...one)).not.toBe(scopeKey("mcp", ...other));
});

test("a key of an earlier version is described by its fields", () => {
  const key = scopeKey("execute-exact", "/w:x", "a\\b");

  expect(toScope(key)).toEqual({ scope: key, words: "execute exact: /w:x: a\\b" });
  expect(toScope({ scope: key, words: "said" })).toEqual({ scope: key, words: "said" });
});
