import { expect, test } from "vitest";
import { joinTexts } from "./join-texts.js";
import type { ModelPart } from "./model-part.js";

const text = (value: string, signature?: string): ModelPart => ({
  type: "text",
  text: value,
  ...(signature !== undefined && { signature }),
});
const usage = (outputTokens: number): ModelPart => ({
  type: "usage",
  usage: { inputTokens: 1, outputTokens, thoughtTokens: 0, cachedTokens: 0 },
});
const thought: ModelPart = { type: "thought", thought: { subject: "s", description: "d" } };

test.each([
  ["no parts", [], []],
  ["one text", [text("a")], [text("a")]],
  ["several texts", [text("a"), text("b"), text("c")], [text("abc")]],
  ["texts between usages", [text("a"), usage(1), text("b"), usage(2)], [text("ab"), usage(2)]],
  [
    "texts around a thought stay separate",
    [text("a"), thought, text("b")],
    [text("a"), thought, text("b")],
  ],
  [
    "a text with a signature stays separate",
    [text("a"), text("b", "x"), text("c")],
    [text("a"), text("b", "x"), text("c")],
  ],
])("joinTexts joins adjacent texts and keeps the last usage: %s", (_name, parts, expected) => {
  expect(joinTexts(parts)).toEqual(expected);
});
