import { expect, test } from "vitest";
import { createLineReader } from "./line-reader.js";

test("lines come out whole, however their bytes come in", () => {
  const reader = createLineReader(100);
  const bytes = Buffer.from("one\ntwö\r\n\nthree\n", "utf8");

  const lines = [...bytes].flatMap((byte) => reader.push(Buffer.from([byte])));

  expect(lines.map((line) => line.trim())).toEqual(["one", "twö", "three"]);
});

test("a line beyond the limit is refused", () => {
  const reader = createLineReader(10);

  reader.push(Buffer.from("12345"));

  expect(() => reader.push(Buffer.from("678901"))).toThrow("more than 10 bytes");
});
