import { expect, test } from "vitest";
import { createRepeatedFrames } from "./repeated-frames.js";

test.each<[string, readonly (readonly [string, number])[], readonly boolean[]]>([
  [
    "arrives later on another stream",
    [
      ["a", 1],
      ["a", 2],
    ],
    [false, true],
  ],
  [
    "arrived first on the later stream",
    [
      ["a", 2],
      ["a", 1],
    ],
    [false, true],
  ],
  [
    "arrives twice on one stream",
    [
      ["a", 1],
      ["a", 1],
    ],
    [false, false],
  ],
  [
    "arrived twice on two streams",
    [
      ["a", 1],
      ["a", 1],
      ["a", 2],
      ["a", 2],
    ],
    [false, false, true, true],
  ],
  [
    "arrived once more on the other stream",
    [
      ["a", 1],
      ["a", 2],
      ["a", 2],
    ],
    [false, true, false],
  ],
  [
    "has other content",
    [
      ["a", 1],
      ["b", 2],
    ],
    [false, false],
  ],
])("isRepeated decides about a frame that %s", (_, frames, expected) => {
  const repeated = createRepeatedFrames();

  const seen = frames.map(([text, stream]) => repeated.isRepeated({ text }, stream));

  expect(seen).toEqual(expected);
});

test("only the last thousand frames are remembered", () => {
  const frames = createRepeatedFrames();
  for (let number = 0; number <= 1_000; number += 1) frames.isRepeated({ number }, 1);

  expect(frames.isRepeated({ number: 1 }, 2)).toBe(true);
  expect(frames.isRepeated({ number: 0 }, 2)).toBe(false);
});

test("a frame that arrives again is remembered as long as a new one", () => {
  const frames = createRepeatedFrames();
  for (let number = 0; number < 1_000; number += 1) frames.isRepeated({ number }, 1);
  frames.isRepeated({ number: 0 }, 1);

  frames.isRepeated({ number: 1_000 }, 1);

  expect(frames.isRepeated({ number: 0 }, 2)).toBe(true);
  expect(frames.isRepeated({ number: 1 }, 2)).toBe(false);
});
