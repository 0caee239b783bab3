import fc from "fast-check";
import { expect, test } from "vitest";
import { pieceLines } from "./piece-lines.js";
import { plainText } from "./span.js";
import {
  EMPTY_SPLIT,
  restOfText,
  type SplitState,
  splitMarkdown,
  type TextPiece,
} from "./split-markdown.js";

const markdown = (text: string, isContinued = false): TextPiece => ({
  type: "markdown",
  text,
  isContinued,
});

test("a block is split off as soon as the next block begins", () => {
  expect(splitMarkdown("one\ntwo\n\n", EMPTY_SPLIT).pieces).toEqual([]);
  expect(splitMarkdown("one\ntwo\n\nth", EMPTY_SPLIT)).toEqual({
    pieces: [markdown("one\ntwo\n\n")],
    state: { offset: 9 },
  });
  expect(restOfText("one\n\nth", { offset: 5 })).toEqual([markdown("th")]);
});

test("a list item that continues after a blank line stays one piece", () => {
  expect(splitMarkdown("- a\n\n  more\n\nnext", EMPTY_SPLIT).pieces).toEqual([
    markdown("- a\n\n  more\n\n"),
  ]);
});

test("a code block becomes a separate piece without its fences", () => {
  const { pieces } = splitMarkdown("see\n```ts\nlet a;\n```\nend", EMPTY_SPLIT, true);

  expect(pieces).toEqual([
    markdown("see\n"),
    { type: "code", language: "ts", lines: ["let a;"], state: undefined, isContinued: false },
    markdown("end"),
  ]);
});

test("the state after a piece of a code block contains the comment that is still open", () => {
  const code = ["/*", ...Array.from({ length: 30 }, (_, index) => `line ${index}`)].join("\n");

  const { pieces, state } = splitMarkdown(`\`\`\`ts\n${code}\n`, EMPTY_SPLIT);

  expect(pieces).toHaveLength(1);
  expect(state).toMatchObject({ isContinued: true, fence: { state: { until: "*/" } } });
});

test.each([
  ["many lines", Array.from({ length: 2000 }, (_, index) => `chunk ${index}\n`).join("")],
  ["many table rows", `| a |\n|---|\n${"| 1 |\n".repeat(2000)}`],
  ["one long line", "word ".repeat(5000)],
  ["one long word", "x".repeat(30_000)],
  ["many lines of code", `\`\`\`js\n${"let a = 1;\n".repeat(3000)}`],
])("a growing text of %s leaves at most 4,000 characters unsplit", (_, text) => {
  const { pieces, state } = splitMarkdown(text, EMPTY_SPLIT);

  expect(text.length - state.offset).toBeLessThanOrEqual(4000);
  expect(pieces.length).toBeGreaterThan(3);
});

test("a text is shown in the same way whether it arrives in chunks or at once", () => {
  const block = fc.constantFrom(
    "para one\nline two\n\n",
    "# head\n\n",
    "- a\n- b\n\n",
    "```ts\nlet a = 1;\n/* open\n\nstill */\n```\n",
    "~~~\nplain\n~~~\n",
    "> quote\n\n",
    "chunk\n".repeat(30),
  );
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 8 }),
      fc.array(fc.nat({ max: 40 })),
      (blocks, cuts) => {
        const text = blocks.join("");
        const whole = splitMarkdown(text, EMPTY_SPLIT, true).pieces;
        const pieces: TextPiece[] = [];
        let state: SplitState = EMPTY_SPLIT;
        let end = 0;
        for (const cut of cuts) {
          end = Math.min(text.length, end + cut);
          const step = splitMarkdown(text.slice(0, end), state);
          pieces.push(...step.pieces);
          state = step.state;
        }
        pieces.push(...splitMarkdown(text, state, true).pieces);
        expect(wordsOf(pieces)).toEqual(wordsOf(whole));
      },
    ),
    { numRuns: 300 },
  );
});

function wordsOf(pieces: readonly TextPiece[]): string {
  return pieces
    .flatMap((piece) => pieceLines(piece, 80))
    .map(plainText)
    .join(" ")
    .replace(/\s+/g, " ");
}

test.each([
  ["one line", "*a_".repeat(200_000)],
  ["lines", `${"*a_".repeat(1_000)}\n`.repeat(200)],
  ["a line of code", `\`\`\`js\n${"'".repeat(600_000)}`],
  ["lines of code", `\`\`\`js\n${`${"x".repeat(3_000)}\n`.repeat(200)}`],
])(
  "a text of 600 KB in %s is split into small pieces when it arrives at once [SEC-09]",
  (_, text) => {
    for (const isEnded of [true, false]) {
      const { pieces } = splitMarkdown(text, EMPTY_SPLIT, isEnded);

      const lengths = pieces.map((piece) =>
        piece.type === "code" ? piece.lines.join("\n").length : piece.text.length,
      );
      expect(Math.max(...lengths)).toBeLessThanOrEqual(12_100);
    }
  },
);

test("a split never separates the two halves of an emoji", () => {
  const pieces = restOfText(`a${"🎉".repeat(5_000)}`, EMPTY_SPLIT);

  expect(wordsOf(pieces)).not.toContain("\ufffd");
});

test("the text after the first 100,000 characters is shown as source [SEC-09]", () => {
  const text = "*a_".repeat(200_000);
  const { pieces } = splitMarkdown(text, EMPTY_SPLIT, true);
  const sizeOf = (type: string) =>
    pieces.flatMap((piece) => (piece.type === type && "text" in piece ? piece.text : [])).join("")
      .length;

  expect(sizeOf("markdown") + sizeOf("plain")).toBe(text.length);
  expect(sizeOf("markdown")).toBeLessThan(110_000);
});

test("a long text is split the same way whether it arrives in chunks or at once [SEC-09]", () => {
  const text = "- one\n\n```js\nlet a;\n```\n".repeat(6_000);
  const whole = splitMarkdown(text, EMPTY_SPLIT, true).pieces;
  const pieces = [];
  let state = EMPTY_SPLIT;
  for (let end = 0; end < text.length; end += 7_777) {
    const cut = splitMarkdown(text.slice(0, end), state);
    pieces.push(...cut.pieces);
    state = cut.state;
  }
  pieces.push(...splitMarkdown(text, state, true).pieces);

  expect(pieces.map((piece) => piece.type)).toEqual(whole.map((piece) => piece.type));
});
