import { buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import type { OpenCall } from "./open-call.js";
import { standingQuestions } from "./standing-questions.js";

const request = { options: [], details: undefined };

/** As in `toCall("asks, reads", 0)`. */
function toCall(text: string, index: number): OpenCall {
  const status = /runs/.test(text) ? "EXECUTING" : /ended/.test(text) ? "CANCELLED" : "PENDING";
  const [, parentCallId] = /in (\d)/.exec(text) ?? [];
  return {
    toolCall: buildToolCall({
      toolCallId: `${index}`,
      status,
      ...(/asks/.test(text) && { confirmationRequest: request }),
    }),
    isReadOnly: text.includes("reads"),
    isAnnounced: text.includes("shown"),
    ...(parentCallId !== undefined && { parentCallId }),
  };
}

test.each<[readonly string[], readonly number[]]>([
  [[], []],
  [["asks"], [0]],
  [["asks, reads"], [0]],
  [
    ["asks", "asks"],
    [0, 1],
  ],
  [["ended", "asks"], [1]],
  [["shown"], []],
  [["runs"], []],
  // A call behind a question stands, once it is shown; one before it can go on.
  [["asks", "shown"], [0]],
  [["asks", "hidden"], []],
  [["shown", "asks"], []],
  [["asks", "runs, shown"], []],
  // A call that only reads waits for nobody, and nobody waits for it.
  [["asks", "shown, reads"], []],
  [["asks, reads", "shown"], []],
  [
    ["asks", "asks, reads", "shown"],
    [0, 1],
  ],
])("of the calls %j, %j hold up the turn", (calls, standing) => {
  expect(
    standingQuestions({ calls: calls.map(toCall) }).map(({ toolCallId }) => Number(toolCallId)),
  ).toEqual(standing);
});
