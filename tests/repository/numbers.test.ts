import { expect, test } from "vitest";
import { findNumber, statedNumbersIn } from "./numbers.js";
import { documents, readText } from "./repository.js";

test.each(documents)("the marked figures of %s equal the constants of the code", (document) => {
  const markdown = readText(document);
  const stated = statedNumbersIn(markdown);

  const wrong = stated
    .map((number) => ({ ...number, value: findNumber(readText(number.file), number.name) }))
    .filter(({ value, values }) => value === undefined || !values.includes(value))
    .map(({ figure, file, name, value }) => `${figure}: ${name} in ${file} is ${value}`);

  expect(wrong).toEqual([]);
  expect(stated).toHaveLength([...markdown.matchAll(/(?<!`)<!-- number: /g)].length);
});

test("docs/protocol.md has more than fifteen marked figures", () => {
  expect(statedNumbersIn(readText("docs/protocol.md")).length).toBeGreaterThan(15);
});

test.each([
  ["const MAX_BYTES = 4 * 1024;", "MAX_BYTES", 4_096],
  ["const MAX_WAIT: number = 60_000;", "MAX_WAIT", 60_000],
  ["{ maxCalls = 256, slowMs = 500 }", "slowMs", 500],
  ["  maxFailures: 100,", "maxFailures", 100],
])("findNumber() reads the number in %j", (source, name, value) => {
  expect(findNumber(source, name)).toBe(value);
});

test("findNumber() returns undefined for a declaration without a value", () => {
  expect(findNumber("  readonly maxFailures: number;", "maxFailures")).toBeUndefined();
});

test.each([
  ["4 MiB<!-- number: a.ts#B -->", [4 * 1024 ** 2]],
  ["10,000<!-- number: a.ts#B -->", [10_000]],
  ["15 seconds<!-- number: a.ts#B -->", [15_000]],
  ["64 MB<!-- number: a.ts#B -->", [64_000_000, 64 * 1024 ** 2]],
])("statedNumbersIn() reads the figure in %j with its unit", (markdown, values) => {
  expect(statedNumbersIn(markdown).map((number) => number.values)).toEqual([values]);
});
