import fc from "fast-check";
import { expect, test } from "vitest";
import { createOutputExcerpt, firstBytes, lastBytes } from "./output-excerpt.js";

const describeCut = ({ bytes, lines }: { bytes: number; lines: number }) => `[${bytes}, ${lines}]`;

test("the excerpt of a short text is the whole text", () => {
  const excerpt = createOutputExcerpt({ headBytes: 10, tailBytes: 10 });
  for (const piece of ["12345", "67890", "abc", "de"]) excerpt.append(piece);

  expect([excerpt.isCut, excerpt.toText(describeCut)]).toEqual([false, "1234567890abcde"]);
});

test("the excerpt of a long text has its beginning and end, and the size of the missing part", () => {
  const excerpt = createOutputExcerpt({ headBytes: 4, tailBytes: 4 });
  for (let line = 1; line < 10; line += 1) excerpt.append(`${line}\n`);

  expect([excerpt.isCut, excerpt.toText(describeCut)]).toEqual([true, "1\n2\n[10, 5]\n8\n9\n"]);
});

test("an excerpt begins and ends like its text and does not exceed its limits", () => {
  const limits = { headBytes: 20, tailBytes: 30 };
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 40 })), (pieces) => {
      const whole = pieces.join("");
      const excerpt = createOutputExcerpt(limits);
      for (const piece of pieces) excerpt.append(piece);
      let cut = "";
      const text = excerpt.toText(({ bytes }) => {
        cut = String(bytes);
        return "\0";
      });
      const [head = "", tail = ""] = text.split(/\n?\0\n/);
      expect(whole.startsWith(head)).toBe(true);
      expect(whole.endsWith(tail)).toBe(true);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.headBytes + limits.tailBytes + 3);
      if (cut === "") expect(text).toBe(whole);
    }),
  );
});

test("tail returns complete lines, and a line … before them if it leaves out earlier lines", () => {
  const excerpt = createOutputExcerpt({ headBytes: 4, tailBytes: 100 });
  excerpt.append("one\ntwo\nthree\nfour\n");

  expect([excerpt.tail(100), excerpt.tail(13)]).toEqual([
    "one\ntwo\nthree\nfour\n",
    "…\nthree\nfour\n",
  ]);
});

test("firstBytes and lastBytes never split a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, bytes) => {
      const [first, last] = [firstBytes(text, bytes), lastBytes(text, bytes)];
      expect(text.startsWith(first) && text.endsWith(last)).toBe(true);
      expect(Buffer.byteLength(first)).toBeLessThanOrEqual(bytes);
      expect(Buffer.byteLength(last)).toBeLessThanOrEqual(bytes);
    }),
  );
});
