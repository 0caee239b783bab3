import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeText, encodeText, type TextEncoding } from "./text-encoding.js";

const encodings: readonly TextEncoding[] = ["utf-8", "utf-8-bom", "utf-16le", "utf-16be"];

test.each(encodings)("decodeText returns the text that encodeText encoded in %s", (encoding) => {
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
  ["a text with a byte 0", "6100"],
  ["bytes that are not UTF-8", "61ff"],
  ["an incomplete UTF-8 character", "e282"],
  ["UTF-16 with an odd number of bytes", "fffe61"],
])("decodeText refuses %s", (_name, hex) => {
  expect(decodeText(Buffer.from(hex, "hex"))).toBeUndefined();
});

test("encodeText adds no byte order mark to a text that starts with one", () => {
  expect(encodeText({ text: "\ufeffa", encoding: "utf-8-bom" }).toString("hex")).toBe("efbbbf61");
});
