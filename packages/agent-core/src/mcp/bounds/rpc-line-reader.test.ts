import { expect, test } from "vitest";
import { DEFAULT_MESSAGE_LIMITS } from "./message-limits.js";
import { createRpcLineReader } from "./rpc-line-reader.js";

const small = { maxBytes: 60, maxDepth: 5, maxValues: 8, maxSkippedBytes: 300 };
const filler = "x".repeat(80);

test("lines are complete even if their bytes arrive one by one", () => {
  const reader = createRpcLineReader(DEFAULT_MESSAGE_LIMITS);
  const bytes = Buffer.from("one\ntwö\r\n\nthree\n", "utf8");

  const lines = [...bytes].flatMap((byte) => reader.push(Buffer.from([byte])));

  expect(lines.map((line) => "text" in line && line.text.trim())).toEqual(["one", "twö", "three"]);
});

test.each([
  ["the id comes first", `{"jsonrpc":"2.0","id":7,"result":"${filler}"}`, 7],
  ["the id comes last", `{"result":"${filler}","jsonrpc":"2.0","id":7}`, 7],
  ["the id is a text", `{"result":"${filler}", "id" : "a\\"b" }`, 'a"b'],
  ["the result contains other ids", `{"result":{"id":1,"x":"\\"id\\":2${filler}"},"id":3}`, 3],
  ["a request answers no call", `{"id":7,"method":"sampling","params":"${filler}"}`, undefined],
  ["a notification answers no call", `{"method":"note","params":"${filler}"}`, undefined],
  ["a list answers no call", `[{"id":7,"result":"${filler}"}]`, undefined],
  ["a text that is not JSON answers no call", filler, undefined],
])(
  "a line that is too long is reported with the id of its call, or without an id: %s [SEC-09]",
  (_, line, answeredId) => {
    const reader = createRpcLineReader(small);
    const bytes = Buffer.from(`${line}\n{"id":8}\n`);

    const lines = [...bytes].flatMap((byte) => reader.push(Buffer.from([byte])));

    expect(lines).toEqual([{ fault: "of more than 60 bytes", answeredId }, { text: '{"id":8}' }]);
  },
);

test.each([
  ["nested deeper than 5 levels", `{"id":1,"result":${"[".repeat(20)}`],
  ["of more than 8 values", `{"id":1,"result":[${"1,".repeat(9)}1]}`],
])(
  "a refused line %s is reported with the id of the call that it answers [SEC-09]",
  (fault, line) => {
    const reader = createRpcLineReader(small);

    expect(reader.push(Buffer.from(`${line}\n`))).toEqual([{ fault, answeredId: 1 }]);
  },
);

test("the reader throws if a line never ends [SEC-09]", () => {
  const reader = createRpcLineReader(small);

  reader.push(Buffer.alloc(200, "x"));

  expect(() => reader.push(Buffer.alloc(200, "x"))).toThrow("a line of more than 300 bytes");
});
