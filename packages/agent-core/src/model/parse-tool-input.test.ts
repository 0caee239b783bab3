import { MAX_VALUE_DEPTH } from "@dt/schema";
import { expect, test } from "vitest";
import { parseToolInput, toToolInput } from "./parse-tool-input.js";

const nest = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

test("arguments are accepted up to the depth that clients can read", () => {
  const inputError = `the arguments are nested deeper than ${MAX_VALUE_DEPTH} levels`;

  expect(parseToolInput(nest(MAX_VALUE_DEPTH))).toEqual({
    input: JSON.parse(nest(MAX_VALUE_DEPTH)),
  });
  expect(parseToolInput(nest(MAX_VALUE_DEPTH + 1))).toEqual({ input: {}, inputError });
  expect(parseToolInput(nest(100_000))).toEqual({ input: {}, inputError });
});

test("missing arguments become an empty input, and a list is refused", () => {
  expect(parseToolInput("")).toEqual({ input: {} });
  expect(parseToolInput("[1]")).toEqual({
    input: {},
    inputError: "the arguments must be a JSON object",
  });
});

test.each(["as text", "as a value"])(
  "arguments given %s may contain at most 50,000 values [SEC-09]",
  (form) => {
    const read = (value: unknown) =>
      form === "as text" ? parseToolInput(JSON.stringify(value)) : toToolInput(value);
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
    const nested = (count: number) => ({ list: Array.from({ length: count / 2 }, () => [1]) });
    const tooMany = {
      input: {},
      inputError: "the arguments contain more than 50000 values; split them over several calls",
    };

    expect(read(keys(50_000))).toEqual({ input: keys(50_000) });
    expect(read(keys(50_001))).toEqual(tooMany);
    expect(read(nested(49_998))).toEqual({ input: nested(49_998) });
    expect(read(nested(50_000))).toEqual(tooMany);
    // Commas inside strings do not separate values.
    expect(read({ text: `"\\",`.repeat(60_000) })).toEqual({
      input: { text: `"\\",`.repeat(60_000) },
    });
  },
);
