import { expect, test } from "vitest";
import { COVERED_PROGRAMS, readsItsWords, splitWords } from "./covered-programs.js";

test("only the listed programs may run with other words than approved [SEC-07]", () => {
  const rows = [...COVERED_PROGRAMS].map(
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

test("only with the listed options does a program read no other files [SEC-07]", () => {
  const rows = [...COVERED_PROGRAMS].flatMap(([name, { exact }]) => exact && `${name} [${exact}]`);

  expect(rows.filter((row) => row !== undefined)).toEqual([
    "cat [AET]",
    "du [0BSbdlmtx]",
    "grep [GPTUZabeyz]",
    "head [qvz]",
    "ls [BCDGNQTUXZbcfgikmoquvwx]",
    "stat [cft]",
    "tail [Ffqvz]",
    "wc [L]",
  ]);
});

test.each([
  ["grep", ["-e", "-nP", "--include=*.ts", "--", "-", "-rn", "-5"], true],
  [
    "grep",
    ["-f", "-nf", "-nf/etc/x", "-R", "-rS", "--file=x", "--fil=x", "--exclude-from=x"],
    false,
  ],
  ["ls", ["-C", "--color=always", "-lT"], true],
  ["ls", ["-L", "-H", "-lL", "--dereference"], false],
  ["du", ["-L", "-D", "-X", "--files0-from=x"], false],
  ["wc", ["--files0-from=x", "--files0-from"], false],
  ["stat", ["-L", "--file-system"], false],
  ["echo", ["---", "--files0-from=x", "-x"], true],
])("%s with %j reads only the files among its words: %s [SEC-07]", (program, options, expected) => {
  expect(options.filter((option) => readsItsWords(program, option) !== expected)).toEqual([]);
});

test.each([
  ["ls -la a b", { options: ["-la"], others: ["a", "b"] }],
  ["head -n 5 a", { options: ["-n", "5"], others: ["a"] }],
  ["head -n5 a", { options: ["-n5"], others: ["a"] }],
  ["grep -i -A 3 a b", { options: ["-i", "-A", "3"], others: ["a", "b"] }],
  ["cat 5 a", { options: [], others: ["5", "a"] }],
])("%j is split into options and other words", (text, expected) => {
  const [program = "", ...words] = text.split(" ");

  expect(splitWords(program, words)).toEqual(expected);
});

test.each([
  "head -n a 5",
  "ls a -l",
  "ls -",
  "ls --",
  "ls --all",
  "ls -lL",
  "head -n +5 a",
  "ls -5",
  "sort a",
])("splitWords refuses %j", (text) => {
  const [program = "", ...words] = text.split(" ");

  expect(splitWords(program, words)).toBeUndefined();
});
