import { expect, test } from "vitest";
import { costNanosOf, type ModelPrice } from "./model-price.js";

const usage = { inputTokens: 1_000, outputTokens: 200, thoughtTokens: 50, cachedTokens: 400 };
const price: ModelPrice = { input: 1.25, output: 10, cached: 0.31 };

test.each([
  ["a price for cached input", price, 600 * 1_250 + 400 * 310 + 250 * 10_000],
  ["no price for cached input", { input: 1.25, output: 10 }, 1_000 * 1_250 + 250 * 10_000],
  ["a price of 0", { input: 0, output: 0 }, 0],
])("the cost of a reply is exact with %s", (_, given, nanos) => {
  expect(costNanosOf(usage, given)).toBe(nanos);
});

test("the cost is not reduced if a vendor reports more cached than input tokens", () => {
  const odd = { inputTokens: 0, outputTokens: 0, thoughtTokens: 0, cachedTokens: 10 };

  expect(costNanosOf(odd, price)).toBe(10 * 310);
});
