import { expect, test } from "vitest";
import { createAnswerSoFar } from "./retried-answer.js";
import type { ModelPart } from "../model-part.js";

function playTries(...tries: readonly (readonly ModelPart[])[]): readonly ModelPart[] {
  const answer = createAnswerSoFar();
  return tries.flatMap((parts, index) => {
    const { take, finish } = answer.openTry();
    const shown = parts.flatMap(take);
    return index === tries.length - 1 ? [...shown, ...finish()] : shown;
  });
}

const text = (said: string): ModelPart => ({ type: "text", text: said });
const thought = (subject: string): ModelPart => ({
  type: "thought",
  thought: { subject, description: "" },
});
const request: ModelPart = { type: "tool-request", toolName: "read_file", input: {} };

test("a try that repeats what was said adds only the rest", () => {
  const shown = playTries([text("one "), text("two")], [text("one t"), text("wo three")]);

  expect(shown).toEqual([text("one "), text("two"), text(" three")]);
});

test("a try that goes on where the last one stopped is shown as it is", () => {
  const shown = playTries([text("one ")], [text("only two"), text(" three")]);

  expect(shown).toEqual([text("one "), text("only two"), text(" three")]);
});

test("a try that begins again and then differs adds only what differs, and says so", () => {
  const shown = playTries([text("The plan has four steps.")], [text("The plan has four parts.")]);

  expect(shown).toEqual([
    text("The plan has four steps."),
    { type: "notice", text: "the model began its answer again and now goes on differently" },
    text("parts."),
  ]);
});

test("a try that says less than the one before adds nothing", () => {
  expect(playTries([text("one two")], [text("one")])).toEqual([text("one two")]);
});

test("a signature survives the text that it came with", () => {
  const shown = playTries([text("one")], [{ type: "text", text: "one", signature: "s" }]);

  expect(shown).toEqual([text("one"), { type: "text", text: "", signature: "s" }]);
});

test("thoughts and citations are shown once", () => {
  const citation: ModelPart = { type: "citation", citation: { uri: "u", title: "t" } };

  const shown = playTries([thought("a"), citation], [thought("a"), thought("b"), citation]);

  expect(shown).toEqual([thought("a"), citation, thought("b")]);
});

test("a tool request and what follows it wait for the end of the answer, in order", () => {
  const { take, finish } = createAnswerSoFar().openTry();

  const shown = [text("a"), request, text("b")].flatMap(take);

  expect(shown).toEqual([text("a")]);
  expect(finish()).toEqual([request, text("b")]);
});

test("a tool request of a try that broke off is forgotten", () => {
  expect(playTries([request], [text("no tool after all")])).toEqual([text("no tool after all")]);
});
