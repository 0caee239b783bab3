import { encode } from "uqr";
import { expect, test } from "vitest";
import { qrRows } from "./qr-rows.js";

test("the rows of a QR code show every module, two modules in each character", () => {
  const text = "http://192.168.1.5:41242/join#4KZ7Q-9M2XB";
  const { data } = encode(text, { ecc: "L", border: 2 });
  const modulesOf = (row: string, isUpper: boolean) =>
    [...row].map((character) => character === "█" || character === (isUpper ? "▀" : "▄"));

  const drawn = qrRows(text).flatMap((row) => [modulesOf(row, true), modulesOf(row, false)]);

  expect(drawn.slice(0, data.length)).toEqual(data);
  expect(drawn[0]).not.toContain(true);
});
