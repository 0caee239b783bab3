import fc from "fast-check";
import { expect, test } from "vitest";
import { createEventSplitter } from "./event-splitter.js";
import { DEFAULT_REPLY_LIMITS } from "./reply-limits.js";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);

test.each([
  ["LF", "data: a\n\n"],
  ["CR LF", "data: a\r\n\r\n"],
  ["CR", "data: a\r\r"],
])("an event ends at a blank line with %s as line ending", (_, event) => {
  const splitter = createEventSplitter(DEFAULT_REPLY_LIMITS);

  expect(textOf(splitter.push(bytesOf(event.slice(0, -1))))).toBeUndefined();
  expect(textOf(splitter.push(bytesOf(`${event.slice(-1)}data: b\n`)))).toBe(event);
  expect(textOf(splitter.end())).toBe("data: b\n");
});

test("events stay complete and in order wherever the bytes are split", () => {
  const text = "data: a\n\ndata: b\r\n\r\n: c\n\n\ndata: d";
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 40 }), (sizes) => {
      const splitter = createEventSplitter(DEFAULT_REPLY_LIMITS);
      const bytes = bytesOf(text);
      let at = 0;
      let out = "";
      for (const size of sizes) {
        out += textOf(splitter.push(bytes.slice(at, at + size))) ?? "";
        at += size;
      }
      expect(out + textOf(splitter.end())).toBe(text);
    }),
  );
});

test("an event or a reply beyond its limit is refused [SEC-09]", () => {
  const limits = { maxEventBytes: 20, maxReplyBytes: 100 };
  const event = bytesOf("data: 0123456\n\n");

  const long = createEventSplitter(limits);
  expect(() => long.push(bytesOf("data: 0123456789abcdef"))).toThrow(
    "the model sent an event of more than 20 bytes",
  );
  const many = createEventSplitter(limits);
  for (let count = 0; count < 6; count += 1) many.push(event);
  expect(() => many.push(event)).toThrow("the model sent a reply of more than 100 bytes");
});
