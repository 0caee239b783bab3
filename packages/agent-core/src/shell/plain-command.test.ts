import { expect, test } from "vitest";
import { parsePlainCommand } from "./plain-command.js";

const bare = { joiner: "", words: [], writes: [], reads: [], isRedirected: false };

test.each([
  ["ls", [{ ...bare, program: "ls" }]],
  ["  ls\t-la  'a b' ", [{ ...bare, program: "ls", words: ["-la", "a b"] }]],
  [
    `echo 'a'"b"c '' "$"`.replace("$", ";"),
    [{ ...bare, program: "echo", words: ["abc", "", ";"] }],
  ],
  [
    "a|b&&c||d;e",
    ["", "|", "&&", "||", ";"].map((joiner, index) => ({
      ...bare,
      joiner,
      program: "abcde".charAt(index),
    })),
  ],
  [
    "ls x > out 2>>err < in 2>&1",
    [
      {
        ...bare,
        program: "ls",
        words: ["x"],
        writes: ["out", "err"],
        reads: ["in"],
        isRedirected: true,
      },
    ],
  ],
  ["ls 2>/dev/null", [{ ...bare, program: "ls", writes: ["/dev/null"], isRedirected: true }]],
  ["ls >&2", [{ ...bare, program: "ls", isRedirected: true }]],
  ["echo 2 >x", [{ ...bare, program: "echo", words: ["2"], writes: ["x"], isRedirected: true }]],
])("parsePlainCommand accepts %j", (text, commands) => {
  expect(parsePlainCommand(text)).toEqual(commands);
});

test.each([
  ...["", " ", ";", "ls;", "ls &", "ls &&", "| ls", "ls || || ls", "ls\nls", "ls\r", "ls\u0000"],
  ...[
    "$x",
    "a $x",
    'a "$x"',
    "a `x`",
    'a "`x`"',
    "a\\b",
    'a "b\\c"',
    "a*",
    "a?",
    "a[b]",
    "{a}",
    "~",
  ],
  ...[
    "a ~",
    "a!",
    "! a",
    'a "!"',
    "a #b",
    "a#b",
    "(a)",
    "a=1",
    "a=1 b",
    "'a'=1",
    "a 'b",
    'a "b',
    "''",
  ],
  ...[
    "if a",
    "then",
    "time a",
    "coproc a",
    "function a",
    "'if' a",
    "a > b > ",
    "a >",
    "a>b",
    "a 12>b",
  ],
  ...[
    "a >| b",
    "a <> b",
    "a << b",
    "a <<< b",
    "a <(b)",
    "a &> b",
    "a |& b",
    "a >&b",
    "a 2>&1x",
    "> b",
  ],
  ...[
    "a \u00e9",
    "a '\u00e9'",
    "a\u00a0b",
    "a\u3000b",
    "a ^b",
    "a 'b\nc'",
    `a ${"b".repeat(4100)}`,
  ],
])("parsePlainCommand refuses %j", (text) => {
  expect(parsePlainCommand(text)).toBeUndefined();
});
