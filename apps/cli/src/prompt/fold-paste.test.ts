import { expect, test } from "vitest";
import { foldPaste, unfoldPastes } from "./fold-paste.js";

test("a long paste is shown as a label and sent completely", () => {
  const lines = "line\n".repeat(50);
  const first = foldPaste([], "short\npaste");
  const second = foldPaste(first.pastes, lines);
  const third = foldPaste(second.pastes, "$&".repeat(600));

  expect([first.shown, second.shown, third.shown]).toEqual([
    "short\npaste",
    "[paste 1: 51 lines]",
    "[paste 2: 1200 characters]",
  ]);
  expect(unfoldPastes(`a ${second.shown} b ${third.shown}`, third.pastes)).toBe(
    `a ${lines} b ${"$&".repeat(600)}`,
  );
});

test("a label without a paste is sent unchanged", () => {
  expect(unfoldPastes("[paste 3: 9 lines] [paste 1: x lines]", ["one"])).toBe(
    "[paste 3: 9 lines] [paste 1: x lines]",
  );
});
