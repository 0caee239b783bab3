import fc from "fast-check";
import { expect, test } from "vitest";
import { parseShellCommand } from "./parse-shell-command.js";

/** A command as text, and the simple commands in it. */
interface Sample {
  readonly text: string;
  readonly lines: readonly string[];
}

const words = ["x", "a b", "it's", 'say "hi"', "$HOME", "$(no)", "`no`", "*", "é文", "#", ""];
const separators = ["; ", " && ", " || ", " | ", " |& ", " & ", "\n", " # no\n", " && \\\n"];

const singleQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const doubleQuoted = (text: string) => `"${text.replace(/["\\$`]/g, "\\$&")}"`;
const escaped = (text: string) => (text === "" ? "''" : text.replace(/[^\w]/gu, "\\$&"));

// Most wraps add a line break after the text, because the text may end with a here-document or a comment.
const wraps: readonly ((text: string) => string)[] = [
  (text) => `(${text}\n)`,
  (text) => `{ ${text}\n}`,
  (text) => `if ${text}\nthen :; fi`,
  (text) => `while ${text}\ndo :; done`,
  (text) => `case x in x) ${text}\n;; esac`,
  (text) => `f() { ${text}\n}`,
  (text) => `: $(${text}\n)`,
  (text) => `: "a $(${text}\n) b"`,
  (text) => `: \`${text.replace(/[\\`$]/g, "\\$&")}\n\``,
  (text) => `: <(${text}\n)`,
  (text) => `: "\${x:-$(${text}\n)}"`,
  (text) => `: <<END${text.length}\n$(${text}\n)\nEND${text.length}\n:`,
  (text) => `bash -c ${singleQuoted(text)}`,
  (text) => `eval ${doubleQuoted(text)}`,
  (text) => `nohup timeout 5 env A=1 sh -c ${escaped(text).replaceAll("\\\n", "'\n'")}`,
];

const simple: fc.Arbitrary<Sample> = fc
  .tuple(
    fc.constantFrom("git", "npm", "ls", "touch"),
    fc.array(
      fc.tuple(fc.constantFrom(...words), fc.constantFrom(singleQuoted, doubleQuoted, escaped)),
      { maxLength: 3 },
    ),
  )
  .map(([program, args]) => ({
    text: [program, ...args.map(([text, quote]) => quote(text))].join(" "),
    lines: [JSON.stringify([program, ...args.map(([text]) => text)])],
  }));

const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 4 },
    simple,
    fc
      .tuple(tie("sample"), fc.constantFrom(...separators), tie("sample"))
      .map(([left, separator, right]) => ({
        text: `${left.text}${separator}${right.text}`,
        lines: [...left.lines, ...right.lines],
      })),
    fc
      .tuple(tie("sample"), fc.constantFrom(...wraps))
      .map(([inner, wrap]) => ({ text: wrap(inner.text), lines: inner.lines })),
  ),
}));

const scaffolding = new Set([":", "bash", "eval", "nohup", "timeout", "env", "sh"]);

test("the parts of a composed command are exactly its simple commands", async () => {
  await fc.assert(
    fc.asyncProperty(sample, async ({ text, lines }) => {
      const parts = await parseShellCommand(text);

      const found = parts
        ?.filter(({ program = "" }) => !scaffolding.has(program))
        .map(({ program, args }) => JSON.stringify([program, ...args]));
      expect(found?.sort()).toEqual([...lines].sort());
    }),
    { numRuns: 400 },
  );
});

const fragments = [
  ...[
    "a",
    "rm x",
    " ",
    ";",
    "&&",
    "|",
    "&",
    "\n",
    "(",
    ")",
    "{ ",
    "; }",
    '"',
    "'",
    "\\",
    "`",
    "$(",
  ],
  ...[
    "$((",
    "))",
    "((",
    "<(",
    "<<E\n",
    "\nE\n",
    "<<'E'\n",
    "<<<",
    ">",
    ">&",
    "#",
    "if ",
    "; then ",
  ],
  ...["; fi", "for x in ", "; do ", "; done", "case x in ", ") ", ";;", " esac", "! ", "x=", "$x"],
  ...[`\${x:-`, "}", "*", "[", "[[ ", " ]]", "{a,b}", "$'", "\r", "\u00a0", "\u0000", "\ud800"],
  ...[
    "env ",
    "xargs ",
    "eval ",
    "sh -c ",
    "bash -lc '",
    "find . -exec ",
    " \\;",
    "f() ",
    "coproc ",
  ],
];

test("the parser returns parts or undefined for any text and never throws", async () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom(...fragments), fc.string({ unit: "binary", maxLength: 3 })))
    .map((pieces) => pieces.join(""));

  await fc.assert(
    fc.asyncProperty(text, async (command) => {
      const parts = await parseShellCommand(command);

      expect(parts === undefined || Array.isArray(parts)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
