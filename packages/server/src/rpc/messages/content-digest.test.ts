import { expect, test } from "vitest";
import { digestContent } from "./content-digest.js";

const prompt = { type: "prompt", parts: [{ type: "text", text: "hi" }] };

test("the digest of a message's content does not depend on the order of its keys [LOG-05]", () => {
  const reordered = { parts: [{ text: "hi", type: "text" }], type: "prompt" };

  expect(digestContent(reordered)).toBe(digestContent(prompt));
});

test.each([
  ["another text", { ...prompt, parts: [{ type: "text", text: "ho" }] }],
  ["one more part", { ...prompt, parts: [...prompt.parts, { type: "text", text: "" }] }],
  ["a file", { ...prompt, parts: [...prompt.parts, { type: "file", bytes: "eA==" }] }],
  ["other settings", { ...prompt, settings: { autoExecute: true } }],
  ["another kind of part", { ...prompt, parts: [{ type: "data", data: [2, 1] }] }],
])("the digest of a message's content changes with %s [LOG-05]", (_, content) => {
  expect(digestContent(content)).not.toBe(digestContent(prompt));
});
