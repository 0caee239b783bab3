import fc from "fast-check";
import { expect, test } from "vitest";
import { createControlStripper, stripControl } from "./strip-control.js";

const cases: readonly (readonly [name: string, printed: string, text: string])[] = [
  ["plain text is kept", "a\tb\nc", "a\tb\nc"],
  ["CRLF becomes LF", "a\r\nb\r\n", "a\nb\n"],
  ["colours are dropped", "\x1b[1;31mred\x1b[0m and \x1b[38;5;12mblue\x1b[m", "red and blue"],
  ["a title is dropped", "\x1b]0;evil title\x07text", "text"],
  ["the text of a link is kept", "\x1b]8;;http://a.b\x1b\\here\x1b]8;;\x1b\\.", "here."],
  ["a device string is dropped", "a\x1bPq#0;2;0\x1b\\b", "ab"],
  ["other sequences are dropped", "\x1b(Ba\x1b=b\x1b>c\x1b7d\x1b8\x1bc", "abcd"],
  ["control characters are dropped", "a\x00b\x05c\x7fd\u0085e\u009bf", "abcdef"],
  ["only the last state of a progress bar is kept", "10%\r 50%\r100%\ndone\n", "100%\ndone\n"],
  ["a shorter text overwrites only the columns that it needs", "abcdef\rXY", "XYcdef"],
  ["a line can be erased after the cursor", "working…\r\x1b[Kdone", "done"],
  ["the whole line can be erased", "working\x1b[2K\rok", "ok"],
  ["the start of a line can be erased", "abc\x1b[1K", "   "],
  ["a backspace moves back by one column", "spin |\b/\b-", "spin -"],
  ["backspaces stop at the start of the line", "a\b\b\bb", "b"],
  ["the cursor moves within the line", "abc\x1b[2Dx\x1b[1Gy\x1b[3Cz", "yxc z"],
  [
    "only the escape character of an invalid sequence is dropped",
    "a\x1b\nb\x1b[12\nc",
    "a\nb[12\nc",
  ],
  ["an unterminated title does not remove lines", "\x1b]0;title\nline\n", "]0;title\nline\n"],
  ["an incomplete sequence at the end of the output is dropped", "a\x1b[31", "a"],
];

test.each(cases)("%s", (_name, printed, text) => {
  expect(stripControl(printed)).toBe(text);
});

test("bytes that are not UTF-8 are replaced, and a character split across pieces is joined", () => {
  const stripper = createControlStripper();

  const first = stripper.write(Buffer.from([0x61, 0xff, 0xe2, 0x82]));
  const rest = stripper.write(Buffer.from([0xac, 0x0a])) + stripper.end();

  expect(first + rest).toBe("a\ufffd€\n");
});

test("the result does not depend on how the input is split into pieces", () => {
  const whole = Buffer.from(cases.map(([, printed]) => printed).join("\n"));
  const text = stripControl(whole.toString());

  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: whole.length })), (offsets) => {
      const cuts = [0, ...offsets.sort((one, other) => one - other), whole.length];
      const stripper = createControlStripper();
      const pieces = cuts.slice(1).map((end, at) => stripper.write(whole.subarray(cuts[at], end)));
      expect(pieces.join("") + stripper.end()).toBe(text);
    }),
  );
});

test("the output never contains a control character", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const stripper = createControlStripper();
      const text = stripper.write(bytes) + stripper.end();
      // biome-ignore lint/suspicious/noControlCharactersInRegex: this test is about control characters
      expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    }),
  );
});

test("the current line can be read before it is complete", () => {
  const stripper = createControlStripper();

  const done = stripper.write(Buffer.from("one\n10%\r20%"));

  expect([done, stripper.line]).toEqual(["one\n", "20%"]);
});

test("an endless line and large cursor movements do not grow memory", () => {
  const stripper = createControlStripper();

  for (let round = 0; round < 100; round += 1) {
    stripper.write(Buffer.from("x".repeat(10_000)));
    stripper.write(Buffer.from("\x1b[1000C".repeat(1000)));
  }

  expect(stripper.line.length).toBeLessThan(50_000);
});
