import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type PlainCommand, parsePlainCommand } from "./plain-command.js";

const fragments = [
  ...[
    "w",
    "w ",
    " w ",
    " ",
    "\t",
    "&&",
    "||",
    ";",
    "|",
    "a",
    "-n",
    "--",
    "-",
    "2",
    "x=y",
    "%1",
    "a:b",
  ],
  ...[
    "'x y'",
    '"x y"',
    "''",
    '""',
    "'a$b'",
    "'\"'",
    '"\'"',
    "'`'",
    "'\\'",
    "'a;b|c&d'",
    '"#"',
    "'!'",
  ],
  ...[
    "&",
    "'",
    '"',
    "\\",
    "$",
    "`",
    "#",
    "!",
    "*",
    "?",
    "[",
    "]",
    "{",
    "}",
    "~",
    "(",
    ")",
    "<",
    ">",
  ],
  ...[
    "\n",
    "\r",
    "\u00e9",
    "\u00a0",
    "=",
    "+",
    ",",
    "@",
    "/",
    ".",
    "..",
    "if",
    "time",
    "in",
    "^",
    "1>x",
  ],
];

const text = fc
  .array(fc.constantFrom(...fragments), { maxLength: 12 })
  .map((parts) => `w ${parts.join("")}`);
const plainText = fc.oneof(
  text,
  fc
    // The first 29 fragments are plain, so that parsePlainCommand accepts many of these texts.
    .array(fc.constantFrom(...fragments.slice(0, 29)), { maxLength: 16 })
    .map((parts) => `w ${parts.join("")}`),
);

// Every program is the shell function `w`, which records its words. The function writes once per call,
// because the programs of a pipeline write at the same time.
const traceFunction = [
  "w() {",
  "  f='%s\\0'; n=$#",
  `  while [ "$n" -gt 1 ]; do f="$f%s\\0"; n=$((n - 1)); done`,
  `  printf "$f\\1" "$@" >> "$TRACE"`,
  "}\n",
].join("\n");

test.each([["bash"], ["sh"]])(
  "%s splits a command line into the words that parsePlainCommand returns [SEC-07]",
  (shell) => {
    const directory = mkdtempSync(path.join(tmpdir(), "dt-plain-"));
    try {
      fc.assert(
        fc.property(fc.array(plainText, { minLength: 200, maxLength: 200 }), (texts) => {
          const accepted = texts.filter((each) => isTraceable(parsePlainCommand(each)));
          const expected = accepted.map((each) =>
            executedCommands(parsePlainCommand(each) ?? []).sort(),
          );

          expect(accepted.length).toBeGreaterThan(5);
          expect(trace(shell, accepted, directory)).toEqual(expected);
        }),
        { numRuns: 10 },
      );
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
);

function isTraceable(commands: readonly PlainCommand[] | undefined): boolean {
  return commands?.every(({ program, isRedirected }) => program === "w" && !isRedirected) === true;
}

/**
 * Returns the commands that run if every command succeeds. In that case, pipelines after `||` do not run.
 */
function executedCommands(commands: readonly PlainCommand[]): string[] {
  let isRun = true;
  return commands.flatMap(({ joiner, words }) => {
    if (joiner !== "|") isRun = joiner !== "||";
    return isRun ? [words.length === 0 ? "\0" : words.map((word) => `${word}\0`).join("")] : [];
  });
}

function trace(shell: string, texts: readonly string[], directory: string): string[][] {
  const file = path.join(directory, "trace");
  const script = path.join(directory, "script");
  writeFileSync(file, "");
  const runs = texts.map(
    (each) => `eval '${each.replaceAll("'", "'\\''")}'\nprintf '\\2' >> "$TRACE"`,
  );
  writeFileSync(script, `${traceFunction}${runs.join("\n")}\n`);
  execFileSync(shell, [script], { cwd: directory, env: { ...process.env, TRACE: file } });
  const lines = readFileSync(file, "utf8").split("\u0002").slice(0, -1);
  return lines.map((line) => line.split("\u0001").slice(0, -1).sort());
}
