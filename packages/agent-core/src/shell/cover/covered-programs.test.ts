import { expect, test } from "vitest";
import { COVERED_PROGRAMS, readsOnlyNamedFiles, splitWords } from "./covered-programs.js";

test('"always" allows other arguments only for these programs with these options [SEC-07]', () => {
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

test("with these further options, the programs read only the files among their arguments [SEC-07]", () => {
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
  ["grep", ["-e", "-nP", "--include=*.ts", "--", "-", "-rn", "-5"], "reads only"],
  [
    "grep",
    ["-f", "-nf", "-nf/etc/x", "-R", "-rS", "--file=x", "--fil=x", "--exclude-from=x"],
    "may read more than",
  ],
  ["ls", ["-C", "--color=always", "-lT"], "reads only"],
  ["ls", ["-L", "-H", "-lL", "--dereference"], "may read more than"],
  ["du", ["-L", "-D", "-X", "--files0-from=x"], "may read more than"],
  ["wc", ["--files0-from=x", "--files0-from"], "may read more than"],
  ["stat", ["-L", "--file-system"], "may read more than"],
  ["echo", ["---", "--files0-from=x", "-x"], "reads only"],
])(
  "%s with any option of %j %s the files among its arguments [SEC-07]",
  (program, options, verb) => {
    const expected = options.map(() => verb === "reads only");

    expect(options.map((option) => readsOnlyNamedFiles(program, option))).toEqual(expected);
  },
);

test.each([
  ["ls -la a b", { options: ["-la"], others: ["a", "b"] }],
  ["head -n 5 a", { options: ["-n", "5"], others: ["a"] }],
  ["head -n5 a", { options: ["-n5"], others: ["a"] }],
  ["grep -i -A 3 a b", { options: ["-i", "-A", "3"], others: ["a", "b"] }],
  ["cat 5 a", { options: [], others: ["5", "a"] }],
])("splitWords splits %j into options and other words", (text, expected) => {
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
])("splitWords returns undefined for %j", (text) => {
  const [program = "", ...words] = text.split(" ");

  expect(splitWords(program, words)).toBeUndefined();
});
