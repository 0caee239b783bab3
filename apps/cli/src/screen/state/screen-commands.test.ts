import { expect, test } from "vitest";
import { screenHelpLines } from "./screen-commands.js";

const QUIT = "/quit: leave; the session can be resumed";
const EXIT = "/exit: leave; the session can be resumed";

test.each([
  ["/help", [QUIT, EXIT]],
  ["/help ", [QUIT, EXIT]],
  ["/help quit", [QUIT]],
  ["/help /exit", [EXIT]],
  ["/help tools", []],
  ["/helpful", []],
  ["help", []],
])("the text %j adds the help lines %j for commands of the screen", (text, lines) => {
  expect(screenHelpLines(text)).toEqual(lines);
});
