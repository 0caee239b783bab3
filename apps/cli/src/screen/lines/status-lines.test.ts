import { emptyTaskView } from "@dt/schema";
import { expect, test } from "vitest";
import { createPaint } from "../../text/paint-line.js";
import { plainText } from "../../text/span.js";
import { statusLines } from "./status-lines.js";

const VIEW = emptyTaskView("task", "context");
const linesOf = (mode: string, chosenMode?: string) =>
  statusLines({ model: "offline", mode }, VIEW, { width: 60, notice: "", chosenMode });

test.each([
  ["default", "\x1b[2mmode default\x1b[0m"],
  ["auto-edit", "\x1b[33mmode auto-edit\x1b[0m"],
  ["plan", "\x1b[36mmode plan\x1b[0m"],
  ["yolo", "\x1b[31mmode yolo\x1b[0m"],
])("the mode %s is painted in its colour only if colours are on", (mode, painted) => {
  const [line = []] = linesOf(mode);

  expect(createPaint({ hasColour: true })(line)).toContain(painted);
  expect(createPaint({ hasColour: false })(line)).toBe(`offline · mode ${mode}`);
});

test("a mode that is being chosen is shown with an arrow", () => {
  expect(linesOf("default", "yolo").map(plainText)).toEqual(["offline · mode → yolo"]);
});

test("fields of the status bar that do not fit move to a second line, which is cut", () => {
  const endpoint = `http://127.0.0.1:1/${"x".repeat(60)}`;
  const lines = statusLines({ model: "offline", mode: "yolo", endpoint }, VIEW, {
    width: 30,
    notice: "",
  });

  expect(lines.map(plainText)).toEqual(["offline · mode yolo", "A2A http://127.0.0.1:1/xxxxxx…"]);
});
