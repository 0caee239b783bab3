import { expect, test } from "vitest";
import { createRepeatedFrames } from "./repeated-frames.js";

test.each<[string, readonly (readonly [string, number])[], readonly boolean[]]>([
  [
    "arrives on an older and then on a newer stream",
    [
      ["a", 1],
      ["a", 2],
    ],
    [false, true],
  ],
  [
    "arrives on a newer and then on an older stream",
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
    "arrives twice on each of two streams",
    [
      ["a", 1],
      ["a", 1],
      ["a", 2],
      ["a", 2],
    ],
    [false, false, true, true],
  ],
  [
    "arrives once on one stream and twice on another",
    [
      ["a", 1],
      ["a", 2],
      ["a", 2],
    ],
    [false, true, false],
  ],
  [
    "differs from the frame before it",
    [
      ["a", 1],
      ["b", 2],
    ],
    [false, false],
  ],
])("isRepeated() tells a repetition from a new event if a frame %s", (_, frames, expected) => {
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

test("a frame that arrives again becomes the newest of the remembered frames", () => {
  const frames = createRepeatedFrames();
  for (let number = 0; number < 1_000; number += 1) frames.isRepeated({ number }, 1);
  frames.isRepeated({ number: 0 }, 1);

  frames.isRepeated({ number: 1_000 }, 1);

  expect(frames.isRepeated({ number: 0 }, 2)).toBe(true);
  expect(frames.isRepeated({ number: 1 }, 2)).toBe(false);
});
