import fc from "fast-check";
import { expect, test } from "vitest";
import { findJson, isJsonTextDeep, MAX_JSON_DEPTH, parseBoundedJson } from "./bounded-json.js";

const nest = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

test("parseBoundedJson parses JSON within the bounds, as JSON.parse does", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      expect(parseBoundedJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  ["nested lists without ends", "[".repeat(8_000_000)],
  ["nested lists", nest(MAX_JSON_DEPTH + 1)],
  ["nested objects", '{"a":'.repeat(1_600_000)],
  ["nested lists and objects with brackets in strings", '[{"]}\\"":'.repeat(MAX_JSON_DEPTH)],
])("parseBoundedJson refuses too many %s [SEC-09]", (_name, text) => {
  expect(() => parseBoundedJson(text)).toThrow(`nested deeper than ${MAX_JSON_DEPTH} levels`);
});

test("lists side by side add no depth, and neither do brackets in strings", () => {
  const many = { length: MAX_JSON_DEPTH + 1 };
  const text = JSON.stringify([
    '[{\\"'.repeat(MAX_JSON_DEPTH),
    ...Array.from(many, () => []),
    ...Array.from(many, () => ({})),
  ]);

  expect(parseBoundedJson(text)).toEqual(JSON.parse(text));
  expect(() => parseBoundedJson(nest(MAX_JSON_DEPTH))).not.toThrow();
  expect(MAX_JSON_DEPTH).toBe(10_000);
});

test("parseBoundedJson refuses text that is not JSON, as JSON.parse does", () => {
  expect(() => parseBoundedJson("{")).toThrow(SyntaxError);
});

test("isJsonTextDeep is false at the allowed depth and true one level deeper, for lists and objects", () => {
  const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  const isDeep = [nest, objects].map((write) =>
    [MAX_JSON_DEPTH, MAX_JSON_DEPTH + 1].map((levels) => isJsonTextDeep(write(levels))),
  );

  expect(isDeep).toEqual([
    [false, true],
    [false, true],
  ]);
  expect(isJsonTextDeep("[".repeat(MAX_JSON_DEPTH))).toBe(false);
  expect(isJsonTextDeep("[".repeat(MAX_JSON_DEPTH + 1))).toBe(true);
});

test("a quote after a backslash does not end a string", () => {
  const deep = "[".repeat(MAX_JSON_DEPTH + 1);

  expect(isJsonTextDeep(`["\\"${deep}"]`)).toBe(false);
  expect(isJsonTextDeep(`["\\\\",${deep}`)).toBe(true);
});

test("findJson parses a text if it is JSON", () => {
  const found = ['{"a":[1]}', "null", "{", "[".repeat(MAX_JSON_DEPTH + 1)].map(findJson);

  expect(found).toEqual([{ a: [1] }, null, undefined, undefined]);
});
