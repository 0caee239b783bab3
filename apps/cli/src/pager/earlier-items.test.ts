import type { ViewItem } from "@dt/schema";
import { expect, test } from "vitest";
import { createEarlierItems } from "./earlier-items.js";

const text = (at: string, words: string): ViewItem => ({
  at,
  event: { kind: "TEXT_CONTENT", text: words },
});
const prompt = (messageId: string): ViewItem => ({
  at: "9",
  event: {
    kind: "USER_PROMPT",
    messageId,
    parts: [],
    origin: { principal: "local", name: "" },
  },
});
const thought = (subject: string): ViewItem => ({
  at: "3",
  event: { kind: "THOUGHT", thought: { subject, description: "" } },
});

const HISTORY = [prompt("a"), text("2", "one"), thought("x"), thought("x"), prompt("b")];

test.each([
  ["begins with a known prompt", [prompt("b"), text("9", "new")], 4],
  ["contains a text that has grown", [text("2", "one and more"), prompt("b")], 1],
  ["begins with an item that occurs twice", [thought("x"), prompt("b")], 3],
  ["contains an unknown item", [prompt("own"), prompt("b")], 4],
  ["contains the whole history", HISTORY, 0],
  ["contains only later items", [prompt("later")], 5],
  ["is empty", [], 5],
])(
  "before() returns the items of the history that precede a view, if the view %s",
  (_, recent, count) => {
    expect(createEarlierItems(HISTORY).before(recent)).toEqual(HISTORY.slice(0, count));
  },
);
