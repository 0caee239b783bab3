import { expect, test } from "vitest";
import { line, plainText } from "../text/span.js";
import type { Entry } from "./advance-transcript.js";
import { openingLines } from "./opening-lines.js";

const NOTICE: Entry = { type: "notice", text: "greeting", isError: false };
const gap = (count: number): Entry => ({ type: "gap", count });

function printed(count: number, most: number) {
  let laidOut = 0;
  const entries = [NOTICE, ...Array.from({ length: count }, (_, index) => gap(index))];
  const lines = openingLines(
    entries,
    (entry) => {
      laidOut += 1;
      return [line(entry.type === "gap" ? `${entry.count}a` : "greeting"), line("b")];
    },
    most,
  );
  return { laidOut, text: lines.map(plainText) };
}

test("a short conversation is printed completely, below the greeting", () => {
  expect(printed(2, 4).text).toEqual(["greeting", "b", "0a", "b", "1a", "b"]);
});

test("only the last lines of a long conversation are laid out and printed", () => {
  const { laidOut, text } = printed(10_000, 3);

  expect(text).toEqual(["greeting", "b", expect.stringContaining("Ctrl-O"), "b", "9999a", "b"]);
  expect(laidOut).toBe(3);
});
