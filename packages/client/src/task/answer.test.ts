import { ProtocolError } from "@dt/schema";
import { expect, test } from "vitest";
import { findLostRace, toConfirmation } from "./answer.js";

const toolCall = { toolCallId: "call" };

test("the id of an option is sent unchanged", () => {
  expect(toConfirmation({ toolCall, answer: "cancel" })).toEqual({
    toolCallId: "call",
    selectedOptionId: "cancel",
    modifiedDetails: undefined,
  });
});

test.each(["edited", ""])(
  "an answer with the edited content %j allows the tool call once",
  (newContent) => {
    expect(toConfirmation({ toolCall, answer: { newContent } })).toEqual({
      toolCallId: "call",
      selectedOptionId: "proceed_once",
      modifiedDetails: { $case: "fileDetails", value: { newContent } },
    });
  },
);

test.each([
  [{ reason: "use tabs" }, "cancel"],
  [{ reason: "use tabs", optionId: "reject" }, "reject"],
])("the answer %j refuses the tool call with a reason", (answer, selectedOptionId) => {
  expect(toConfirmation({ toolCall, answer })).toEqual({
    toolCallId: "call",
    selectedOptionId,
    modifiedDetails: undefined,
    reason: "use tabs",
  });
});

const notAnswers = [
  ...[false, true, undefined, null, 7, {}],
  ...[{ newContent: 7 }, { reason: 7 }, { newContent: "a", reason: "b" }],
];
test.each(notAnswers)("the value %j is refused as an answer and allows nothing", (answer) => {
  expect(() => toConfirmation({ toolCall, answer: answer as never })).toThrow(
    "answer: expected an option's id, { newContent } or { reason }",
  );
});

test("findLostRace returns the winner that the agent reports, and nothing for other errors", () => {
  const answeredBy = { principal: "ada", name: "Ada" };
  const data = { answeredBy, selectedOptionId: "cancel", toolCallId: "call" };
  const lost = { accepted: false, answeredBy, selectedOptionId: "cancel", toolCallId: "call" };
  const unknown = {
    accepted: false,
    answeredBy: { principal: "", name: "" },
    selectedOptionId: "",
    toolCallId: "",
  };

  expect(findLostRace(new ProtocolError("confirmation-closed", "", { data }))).toEqual(lost);
  expect(findLostRace(new ProtocolError("confirmation-closed", ""))).toEqual(unknown);
  expect(findLostRace(new ProtocolError("confirmation-not-found", "", { data }))).toBeUndefined();
  expect(findLostRace(new Error("confirmation-closed"))).toBeUndefined();
});
