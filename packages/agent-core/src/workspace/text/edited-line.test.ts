import { expect, test } from "vitest";
import { createEditedLine } from "./edited-line.js";

test("a line has the right text after it was appended to, overwritten, blanked and cut", () => {
  const line = createEditedLine();
  const texts = [];
  const steps = [
    () => line.put("hello", 0),
    () => line.put("J", 0),
    () => line.put("!", 7),
    () => line.cut(3),
    () => line.put("ly", 3),
    () => line.cut(0),
    () => line.put("new", 0),
    () => line.blank(2),
    () => line.put("x", 0),
    () => line.blank(5),
    () => line.cut(1),
  ];

  for (const step of steps) {
    step();
    texts.push(line.text());
  }

  expect(texts).toEqual([
    "hello",
    "Jello",
    "Jello  !",
    "Jel",
    "Jelly",
    "",
    "new",
    "  w",
    "x w",
    "     ",
    " ",
  ]);
});
