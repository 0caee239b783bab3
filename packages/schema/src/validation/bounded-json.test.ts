import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_JSON_DEPTH, parseBoundedJson } from "./bounded-json.js";

const nest = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

test("JSON is read as the engine reads it", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      expect(parseBoundedJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  ["open lists", "[".repeat(8_000_000)],
  ["lists", nest(MAX_JSON_DEPTH + 1)],
  ["objects", '{"a":'.repeat(1_600_000)],
  ["both, with brackets in strings", '[{"]}\\"":'.repeat(MAX_JSON_DEPTH)],
])("JSON of too many %s is refused before it is parsed [SEC-09]", (_name, text) => {
  expect(() => parseBoundedJson(text)).toThrow(`nested deeper than ${MAX_JSON_DEPTH} levels`);
});

test("brackets in strings and lists side by side do not count", () => {
  const many = { length: MAX_JSON_DEPTH + 1 };
  const text = JSON.stringify([
    '[{\\"'.repeat(MAX_JSON_DEPTH),
    ...Array.from(many, () => []),
    ...Array.from(many, () => ({})),
  ]);

  expect(parseBoundedJson(text)).toEqual(JSON.parse(text));
  expect(() => parseBoundedJson(nest(MAX_JSON_DEPTH))).not.toThrow();
});

test("what is no JSON is refused as the engine does", () => {
  expect(() => parseBoundedJson("{")).toThrow(SyntaxError);
});
