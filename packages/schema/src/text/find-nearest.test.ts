import { expect, test } from "vitest";
import { findNearest } from "./find-nearest.js";

const known = ["--model", "--mode", "--yolo", "--a2a-port"];

test.each([
  ["--modle", "--model"],
  ["--moed", "--mode"],
  ["--modell", "--model"],
  ["--modes", "--mode"],
  ["--yollo", "--yolo"],
  ["--a2aport", "--a2a-port"],
  ["--loud", undefined],
  ["--", undefined],
])("findNearest finds the known word that %s means, or none", (word, meant) => {
  expect(findNearest(word, known)).toBe(meant);
});
