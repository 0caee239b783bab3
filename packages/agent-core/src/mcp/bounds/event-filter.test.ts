import { expect, test } from "vitest";
import { createEventFilter } from "./event-filter.js";

const limits = { maxBytes: 100, maxDepth: 5, maxValues: 20, maxSkippedBytes: 1_000 };

/** Passes a text through a filter byte by byte. */
function filter(text: string): string {
  const events = createEventFilter(limits, (refused) => `${JSON.stringify(refused)}\n`);
  return [...Buffer.from(text)]
    .map((byte) => Buffer.from(events.push(Uint8Array.of(byte))).toString())
    .join("");
}

test.each([
  ["LF", "event: message\ndata: {}\n\nid: 1\ndata: 2\n\n"],
  ["CR LF", "event: message\r\ndata: {}\r\n\r\nid: 1\r\ndata: 2\r\n\r\n"],
  ["CR", "event: message\rdata: {}\r\rid: 1\rdata: 2\r\r"],
])("events with %s as line ending pass, but comments and unknown fields do not", (_, text) => {
  const noisy = text.replace("event:", ":ping\nother: x\n\uFEFFdata: x\nevent:");

  expect(filter(noisy)).toBe("event: message\ndata: {}\n\nid: 1\ndata: 2\n\n");
});

test.each([
  ["nested too deep", `data: {"id":1,"a":${"[".repeat(9)}\n\n`, "nested deeper than 5 levels"],
  [
    "nested too deep over several lines",
    `data: {"id":1,"a":\n${"data: [\n".repeat(9)}\n`,
    "nested deeper than 5 levels",
  ],
  [
    "nested too deep after a quote in a comment",
    `: "\ndata: {"id":1,"a":${"[".repeat(9)}\n\n`,
    "nested deeper than 5 levels",
  ],
  ["of too many bytes", `data: {"id":1,"a":"${"x".repeat(200)}"}\n\n`, "of more than 100 bytes"],
  ["of too many values", `data: {"id":1,"a":[${"1,".repeat(30)}1]}\n\n`, "of more than 20 values"],
])("an event %s is replaced, and the next one passes [SEC-09]", (_, text, fault) => {
  const next = 'data: {"id":2}\n\n';

  expect(filter(`${text}${next}`)).toBe(`${JSON.stringify({ fault, answeredId: 1 })}\n${next}`);
});

test("the filter throws if an event never ends [SEC-09]", () => {
  expect(() => filter(`data: ${"x".repeat(2_000)}`)).toThrow("an event of more than 1000 bytes");
});
