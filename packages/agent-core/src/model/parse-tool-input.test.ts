import { MAX_VALUE_DEPTH } from "@dt/schema";
import { expect, test } from "vitest";
import { parseToolInput } from "./parse-tool-input.js";

const nest = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

test("arguments are read to the depth that clients read, and no deeper", () => {
  const inputError = `the arguments are nested deeper than ${MAX_VALUE_DEPTH} levels`;

  expect(parseToolInput(nest(MAX_VALUE_DEPTH))).toEqual({
    input: JSON.parse(nest(MAX_VALUE_DEPTH)),
  });
  expect(parseToolInput(nest(MAX_VALUE_DEPTH + 1))).toEqual({ input: {}, inputError });
  expect(parseToolInput(nest(100_000))).toEqual({ input: {}, inputError });
});

test.each([
  ["", { input: {} }],
  ["[1]", { input: {}, inputError: "the arguments must be a JSON object" }],
])("arguments that are no object are refused: %j", (text, expected) => {
  expect(parseToolInput(text)).toEqual(expected);
});
