import { isProtocolError } from "@dt/schema";
import { expect, test } from "vitest";
import { filePart, toParts } from "./prompt-parts.js";

const circle: { self?: unknown } = {};
circle.self = circle;

test.each([
  [
    "bytes of a length that base64 never has",
    { type: "file", bytes: "abc" },
    "bytes: expected base64",
  ],
  [
    "bytes that are not a string",
    { type: "file", bytes: Uint8Array.of(1) },
    "bytes: expected base64",
  ],
  ["a bigint", { type: "data", data: { id: 1n } }, "data: is not JSON"],
  ["data with a cycle", { type: "data", data: circle }, "data: is not JSON"],
  ["a function", { type: "data", data: () => 1 }, "data: is not JSON"],
  ["a data part without data", { type: "data" }, "data: required"],
  ["text that is a number", { type: "text", text: 7 }, "text: expected a string"],
  [
    "characters that base64 does not have",
    { type: "file", bytes: "ab!=" },
    "bytes: expected base64",
  ],
  ["base64 with three padding signs", { type: "file", bytes: "a===" }, "bytes: expected base64"],
  ["a part of an unknown type", { type: "image" }, "type: expected text, data or file"],
  ["an undefined part", undefined, "type: expected text, data or file"],
])("toParts refuses a prompt with %s, and the error names the field", (_, part, fault) => {
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

test("files of any length and any JSON data are accepted", () => {
  const files = [0, 1, 2, 3, 4].map((length) => filePart(new Uint8Array(length)));
  const data = [null, 0, "", [], { a: 1 }].map((value) => ({ type: "data" as const, data: value }));

  expect(toParts([...files, ...data])).toEqual([...files, ...data]);
});

test.each([[[]], [7], [undefined], [{ type: "text", text: "x" }]])(
  "the value %j is refused as a prompt",
  (prompt) => {
    expect(() => toParts(prompt as never)).toThrow("prompt: expected text or at least one part");
  },
);

test("toParts refuses a file without exactly one of bytes and uri, and reports its index", () => {
  const file = { type: "file", uri: "http://x/a" } as const;
  const fault = "prompt[1]: expected either bytes, in base64, or a uri";

  expect(toParts([file])).toEqual([file]);
  expect(() => toParts([file, { ...file, bytes: "" }])).toThrow(fault);
  expect(() => toParts([file, { type: "file" }])).toThrow(fault);
});

test("toParts makes one part of a text, and filePart keeps the bytes, name and type of a file", () => {
  const bytes = Uint8Array.from({ length: 0x8000 * 2 + 5 }, (_, index) => index % 251);
  const part = filePart(bytes, { name: "a.png", mediaType: "image/png" });

  expect(toParts("")).toEqual([{ type: "text", text: "" }]);
  expect(part).toStrictEqual({
    type: "file",
    bytes: Buffer.from(bytes).toString("base64"),
    name: "a.png",
    mediaType: "image/png",
  });
  expect(filePart(Uint8Array.of(255))).toStrictEqual({ type: "file", bytes: "/w==" });
});
