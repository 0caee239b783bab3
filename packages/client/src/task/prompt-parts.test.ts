import { isProtocolError } from "@dt/schema";
import { expect, test } from "vitest";
import { filePart, toParts } from "./prompt-parts.js";

const circle: { self?: unknown } = {};
circle.self = circle;

test.each([
  [
    "text of a length that base64 never has",
    { type: "file", bytes: "abc" },
    "bytes: expected base64",
  ],
  ["bytes that are no text", { type: "file", bytes: Uint8Array.of(1) }, "bytes: expected base64"],
  ["a number that JSON does not know", { type: "data", data: { id: 1n } }, "data: is not JSON"],
  ["data that holds itself", { type: "data", data: circle }, "data: is not JSON"],
  ["a function", { type: "data", data: () => 1 }, "data: is not JSON"],
])("%s is refused before it is sent, and the fault named", (_, part, fault) => {
  const refused = (() => {
    try {
      return toParts([part as never]);
    } catch (reason) {
      return reason;
    }
  })();

  expect(isProtocolError(refused) && refused.code).toBe("invalid-message");
  expect(String(refused)).toContain(`prompt[0].${fault}`);
});

test("files of any length and any data of JSON pass", () => {
  const files = [0, 1, 2, 3, 4].map((length) => filePart(new Uint8Array(length)));
  const data = [null, 0, "", [], { a: 1 }].map((value) => ({ type: "data" as const, data: value }));

  expect(toParts([...files, ...data])).toEqual([...files, ...data]);
});
