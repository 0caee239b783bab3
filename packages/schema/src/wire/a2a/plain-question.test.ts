import { expect, test } from "vitest";
import { buildQuestion } from "../../testing/build-tool-call.js";
import { decodePlainAnswer, encodePlainQuestions } from "./plain-question.js";

const one = buildQuestion();
const two = buildQuestion({
  toolCallId: "call-2",
  toolName: "run_shell_command",
  confirmationRequest: {
    options: [{ id: "cancel", name: "Cancel" }],
    details: { $case: "executeDetails", value: { command: "make", workingDirectory: "/work" } },
  },
});

test("a question is encoded as text with its action and its option ids", () => {
  const text = encodePlainQuestions([one]);

  expect(text).toContain("The tool write_file asks for permission.");
  expect(text).toContain("File: /work/hello.txt\nhello");
  for (const id of ["proceed_once", "proceed_always", "cancel"]) expect(text).toContain(`  ${id} `);
});

test("if several questions are open, each option is listed with the id of its tool call", () => {
  const text = encodePlainQuestions([one, two]);

  expect(text).toContain("  proceed_once call-1 ");
  expect(text).toContain("Command: make\nIn: /work");
  expect(text).toContain("  cancel call-2 ");
});

test.each([
  ["mcpDetails", { serverName: "ide", toolName: "open" }, "MCP server: ide\nTool: open"],
  ["genericDetails", { description: "leaves the workspace" }, "leaves the workspace"],
] as const)("the text of a question contains the fields of %s", ($case, value, shown) => {
  const details = { $case, value } as NonNullable<typeof one.confirmationRequest>["details"];
  const call = buildQuestion({ confirmationRequest: { options: [], details } });

  expect(encodePlainQuestions([call])).toContain(shown);
});

test.each([
  ["proceed_once", [one], "call-1", "proceed_once"],
  [" cancel\n", [one], "call-1", "cancel"],
  ["proceed_once call-1", [one], "call-1", "proceed_once"],
  ["cancel call-2", [one, two], "call-2", "cancel"],
])("the text %j answers the question", (text, calls, toolCallId, selectedOptionId) => {
  expect(decodePlainAnswer(text, calls)).toEqual({ toolCallId, selectedOptionId });
});

test.each([
  "",
  "yes",
  "PROCEED_ONCE",
  "please proceed_once",
  "proceed_once please",
  "proceed_once call-1 now",
  "proceed_once call-9",
])("the text %j does not answer the only question", (text) => {
  expect(decodePlainAnswer(text, [one])).toBeUndefined();
});

test.each(["proceed_once", "proceed_once call-2"])(
  "the text %j answers no question if two questions are open",
  (text) => {
    expect(decodePlainAnswer(text, [one, two])).toBeUndefined();
  },
);

test("the id of an option answers nothing if no question is open", () => {
  expect(decodePlainAnswer("proceed_once", [])).toBeUndefined();
});
