import { expect, test } from "vitest";
import { screenHelpLines } from "./screen-commands.js";

const QUIT = "/quit: Leave; the session can be resumed";
const EXIT = "/exit: Leave; the session can be resumed";

test.each([
  ["/help", [QUIT, EXIT]],
  ["/help ", [QUIT, EXIT]],
  ["/help quit", [QUIT]],
  ["/help /exit", [EXIT]],
  ["/help tools", []],
  ["/helpful", []],
  ["help", []],
])("the screen adds its own commands to the help that %j asks for", (text, lines) => {
  expect(screenHelpLines(text)).toEqual(lines);
});
