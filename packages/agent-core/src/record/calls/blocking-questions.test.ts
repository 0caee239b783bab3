import { buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { blockingQuestions } from "./blocking-questions.js";
import type { OpenCall } from "./open-call.js";

const request = { options: [], details: undefined };

/** Builds a call from a description such as `asks, reads`. */
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
  // An announced call waits for a question before it, but not for a question after it.
  [["asks", "shown"], [0]],
  [["asks", "hidden"], []],
  [["shown", "asks"], []],
  [["asks", "runs, shown"], []],
  // A call that only reads waits for no other call, and no other call waits for it.
  [["asks", "shown, reads"], []],
  [["asks, reads", "shown"], []],
  [
    ["asks", "asks, reads", "shown"],
    [0, 1],
  ],
])("the questions that block a turn with the calls %j are %j", (calls, blocking) => {
  expect(
    blockingQuestions({ calls: calls.map(toCall) }).map(({ toolCallId }) => Number(toolCallId)),
  ).toEqual(blocking);
});
