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
])("findNearest corrects %s to %s", (word, meant) => {
  expect(findNearest(word, known)).toBe(meant);
});

test.each(["--loud", "--"])("findNearest finds no known word that is similar to %s", (word) => {
  expect(findNearest(word, known)).toBeUndefined();
});
