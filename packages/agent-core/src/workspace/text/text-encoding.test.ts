import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeText, encodeText, type TextEncoding } from "./text-encoding.js";

const encodings: readonly TextEncoding[] = ["utf-8", "utf-8-bom", "utf-16le", "utf-16be"];

test.each(encodings)("decoding inverts encoding in %s", (encoding) => {
  const text = fc.string({ unit: "grapheme" }).filter((each) => !/[\0\ufeff]/.test(each));
  fc.assert(
    fc.property(text, (each) => {
      expect(decodeText(encodeText({ text: each, encoding }))).toEqual({ text: each, encoding });
    }),
  );
});

test.each([
  ["utf-8", "c3a4"],
  ["utf-8-bom", "efbbbfc3a4"],
  ["utf-16le", "fffee400"],
  ["utf-16be", "feff00e4"],
] as const)("ä is encoded in %s as %s", (encoding, hex) => {
  expect(encodeText({ text: "ä", encoding }).toString("hex")).toBe(hex);
  expect(decodeText(Buffer.from(hex, "hex"))).toEqual({ text: "ä", encoding });
});

test.each([
  ["a byte 0", "6100"],
  ["bytes that are not UTF-8", "61ff"],
  ["half a character", "e282"],
  ["UTF-16 with half a unit", "fffe61"],
])("decodeText refuses %s", (_name, hex) => {
  expect(decodeText(Buffer.from(hex, "hex"))).toBeUndefined();
});

test("a byte order mark that the text already has is not doubled", () => {
  expect(encodeText({ text: "\ufeffa", encoding: "utf-8-bom" }).toString("hex")).toBe("efbbbf61");
});
