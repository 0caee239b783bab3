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

const history = [prompt("a"), text("2", "one"), thought("x"), thought("x"), prompt("b")];

test.each([
  ["begins with a prompt of it", [prompt("b"), text("9", "new")], 4],
  ["holds more of a text than was read", [text("2", "one and more"), prompt("b")], 1],
  ["begins with what is there twice", [thought("x"), prompt("b")], 3],
  ["holds something of its own", [prompt("own"), prompt("b")], 4],
  ["holds all of it", history, 0],
  ["holds nothing of it any more", [prompt("later")], 5],
  ["is empty", [], 5],
])("a view that %s", (_, recent, count) => {
  expect(createEarlierItems(history).before(recent)).toEqual(history.slice(0, count));
});
