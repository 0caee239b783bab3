import type { ToolCall } from "@dt/schema";
import { buildToolCall } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { reduceSessionState } from "./reduce-session-state.js";
import { emptySessionState, type RunningTurn } from "./session-state.js";
import { standingQuestions } from "./standing-questions.js";

const prompt = {
  messageId: "m",
  taskId: "t",
  turn: 1,
  parts: [],
  origin: { principal: "ada", name: "Ada" },
};

/** As in `turnOf("ask!", "look run")`: the calls, each with its marks. */
function turnOf(...calls: readonly string[]): RunningTurn {
  const running = reduceSessionState(
    reduceSessionState(emptySessionState, { type: "prompted", prompt }),
    { type: "turn-started", turn: 1 },
  ).turn;
  if (running === undefined) throw new Error("no turn runs");
  const named = (mark: string) =>
    calls.flatMap((text, index) => (text.includes(mark) ? [`${index}`] : []));
  return {
    ...running,
    calls: calls.map((text, index) => toCall(text, `${index}`)),
    readOnly: named("reads"),
    announced: named("shown"),
  };
}

function toCall(text: string, toolCallId: string): ToolCall {
  const status = /runs/.test(text) ? "EXECUTING" : /ended/.test(text) ? "CANCELLED" : "PENDING";
  const request = { options: [], details: undefined };
  return buildToolCall({
    toolCallId,
    status,
    ...(/asks/.test(text) && { confirmationRequest: request }),
  });
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
  expect(standingQuestions(turnOf(...calls)).map(({ toolCallId }) => Number(toolCallId))).toEqual(
    standing,
  );
});
