import { expect, test } from "vitest";
import { toCost } from "./cost.js";

test.each([
  [0, "0"],
  [1, "0.000000001"],
  [12_500_000, "0.0125"],
  [1_000_000_000, "1"],
  [12_345_000_000_000, "12345"],
  [1_230_000_000, "1.23"],
])("%i billionths of a dollar are %s dollars", (nanos, amount) => {
  expect(toCost(nanos)).toEqual({ amount, currency: "USD" });
});
