import { expect, test } from "vitest";
import { foldPaste, unfoldPastes } from "./fold-paste.js";

test("a short paste is shown, a long one has a name, and all of it is sent", () => {
  const lines = "line\n".repeat(50);
  const first = foldPaste([], "short\npaste");
  const second = foldPaste(first.pastes, lines);
  const third = foldPaste(second.pastes, "$&".repeat(600));

  expect([first.shown, second.shown, third.shown]).toEqual([
    "short\npaste",
    "[paste 1: 51 lines]",
    "[paste 2: 1200 letters]",
  ]);
  expect(unfoldPastes(`a ${second.shown} b ${third.shown}`, third.pastes)).toBe(
    `a ${lines} b ${"$&".repeat(600)}`,
  );
});

test("a name of no paste stays as it is", () => {
  expect(unfoldPastes("[paste 3: 9 lines] [paste 1: x lines]", ["one"])).toBe(
    "[paste 3: 9 lines] [paste 1: x lines]",
  );
});
