import { expect, test } from "vitest";
import type { ModelPart } from "../model-part.js";
import { createRetriedReply } from "./retried-reply.js";

function playAttempts(...attempts: readonly (readonly ModelPart[])[]): readonly ModelPart[] {
  const reply = createRetriedReply();
  return attempts.flatMap((parts, index) => {
    const { push, finish } = reply.openAttempt();
    const shown = parts.flatMap(push);
    return index === attempts.length - 1 ? [...shown, ...finish()] : shown;
  });
}

const text = (said: string): ModelPart => ({ type: "text", text: said });
const thought = (subject: string): ModelPart => ({
  type: "thought",
  thought: { subject, description: "" },
});
const request: ModelPart = { type: "tool-request", toolName: "read_file", input: {} };

test("an attempt that repeats earlier text adds only the new text", () => {
  const shown = playAttempts([text("one "), text("two")], [text("one t"), text("wo three")]);

  expect(shown).toEqual([text("one "), text("two"), text(" three")]);
});

test("an attempt that does not repeat the earlier text is shown whole", () => {
  const shown = playAttempts([text("one ")], [text("only two"), text(" three")]);

  expect(shown).toEqual([text("one "), text("only two"), text(" three")]);
});

test("an attempt that repeats text and then differs adds a notice and the different text", () => {
  const shown = playAttempts(
    [text("The plan has four steps.")],
    [text("The plan has four parts.")],
  );

  expect(shown).toEqual([
    text("The plan has four steps."),
    { type: "notice", text: "the model started its reply again and continues differently" },
    text("parts."),
  ]);
});

test("an attempt that repeats only the start of the earlier text adds nothing", () => {
  expect(playAttempts([text("one two")], [text("one")])).toEqual([text("one two")]);
});

test("a signature is delivered even if its text was shown before", () => {
  const shown = playAttempts([text("one")], [{ type: "text", text: "one", signature: "s" }]);

  expect(shown).toEqual([text("one"), { type: "text", text: "", signature: "s" }]);
});

test("thoughts and citations are shown only once over all attempts", () => {
  const citation: ModelPart = { type: "citation", citation: { uri: "u", title: "t" } };

  const shown = playAttempts([thought("a"), citation], [thought("a"), thought("b"), citation]);

  expect(shown).toEqual([thought("a"), citation, thought("b")]);
});

test("a tool request and the parts after it wait for the end of the attempt", () => {
  const { push, finish } = createRetriedReply().openAttempt();

  const shown = [text("a"), request, text("b")].flatMap(push);

  expect(shown).toEqual([text("a")]);
  expect(finish()).toEqual([request, text("b")]);
});

test("a tool request of a broken attempt is dropped", () => {
  expect(playAttempts([request], [text("no tool after all")])).toEqual([text("no tool after all")]);
});
