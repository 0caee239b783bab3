import { expect, test } from "vitest";
import { coveredPrograms, splitWords } from "./covered-programs.js";

test("the list of programs whose words may vary is this [SEC-07]", () => {
  const rows = [...coveredPrograms].map(
    ([name, { flags, numbers = "" }]) => `${name} [${flags}] [${numbers}]`,
  );

  expect(rows).toEqual([
    "basename [] []",
    "cat [benstuv] []",
    "cd [] []",
    "dirname [] []",
    "du [achks] []",
    "echo [Een] []",
    "grep [EFHILchilnoqrsvwx] [ABCm]",
    "head [] [cn]",
    "ls [1AFRSadhlnprst] []",
    "pwd [LP] []",
    "stat [] []",
    "tail [] [cn]",
    "true [] []",
    "wc [clmw] []",
  ]);
});

test.each([
  ["ls -la a b", { options: ["-la"], others: ["a", "b"] }],
  ["head -n 5 a", { options: ["-n", "5"], others: ["a"] }],
  ["head -n5 a", { options: ["-n5"], others: ["a"] }],
  ["grep -i -A 3 a b", { options: ["-i", "-A", "3"], others: ["a", "b"] }],
  ["cat 5 a", { options: [], others: ["5", "a"] }],
  ["head -n a 5", undefined],
  ["ls a -l", undefined],
  ["ls -", undefined],
  ["ls --", undefined],
  ["ls --all", undefined],
  ["ls -lL", undefined],
  ["head -n +5 a", undefined],
  ["ls -5", undefined],
  ["sort a", undefined],
])("%j is split", (text, expected) => {
  const [program = "", ...words] = text.split(" ");

  expect(splitWords(program, words)).toEqual(expected);
});
