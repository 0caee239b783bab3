import { expect, test } from "vitest";
import { createTextBuffer } from "./text-buffer.js";

/** Longer than several pieces of 64 KiB. Most pieces end inside a character of two to four bytes. */
const text = "aé€😀".repeat(50_000);

test.each([1, 1_000, 65_536, 1_000_000])(
  "a text in chunks of %i bytes is decoded completely",
  (size) => {
    const buffer = createTextBuffer();
    const bytes = Buffer.from(text);

    for (let at = 0; at < bytes.length; at += size) buffer.append(bytes.subarray(at, at + size));

    expect(buffer.take() === text).toBe(true);
    expect(buffer.take()).toBe("");
  },
);

test("a cleared buffer forgets an unfinished character", () => {
  const buffer = createTextBuffer();
  buffer.append(Buffer.from("x".repeat(70_000)));
  buffer.append(Buffer.from("é").subarray(0, 1));

  buffer.clear();
  buffer.append(Buffer.from("a"));

  expect(buffer.take()).toBe("a");
});
