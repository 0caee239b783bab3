// Newer versions of gemini-cli's server keep the stream of a turn open while a question is open.
import { isQuestion, openQuestions } from "@dt/client";
import { geminiScript } from "@dt/client/testing";
import { expect, test } from "vitest";
import { brief, openGeminiStage } from "./support/open-gemini-stage.js";

const { call, say, writeFile } = geminiScript;
const WORKSPACE_PATH = "/workspace";
const turn = [call(writeFile("/w/a", "a"), writeFile("/w/b", "b")), say("done")];

test("the client answers two consecutive questions of a turn on one open stream", async () => {
  await using stage = await openGeminiStage({ turns: [turn], keepsStreams: true });
  const task = await (await stage.connect()).startTask({
    workspacePath: WORKSPACE_PATH,
    prompt: "go",
  });
  const events: string[] = [];

  for await (const event of task.events()) {
    events.push(brief(event));
    if (isQuestion(event)) await task.answer(event.toolCall, "proceed_once");
  }

  expect(events).toEqual([
    "working",
    "write_file PENDING asks",
    "input-required",
    "write_file EXECUTING",
    "write_file SUCCEEDED",
    "write_file PENDING asks",
    "input-required",
    "write_file EXECUTING",
    "write_file SUCCEEDED",
    "says done",
    "completed",
  ]);
  expect(stage.standIn.ran).toHaveLength(2);
});

test.each([
  ["proceed_once", ["SUCCEEDED", "SUCCEEDED"]],
  ["cancel", ["SUCCEEDED", "CANCELLED"]],
])(
  "the client answers two simultaneous questions on an open stream, the second with %s",
  async (second, ends) => {
    await using stage = await openGeminiStage({
      turns: [turn],
      keepsStreams: true,
      asksTogether: true,
    });
    const task = await (await stage.connect()).startTask({
      workspacePath: WORKSPACE_PATH,
      prompt: "go",
    });
    const ended: string[] = [];

    for await (const event of task.events()) {
      if (event.kind === "TOOL_CALL_UPDATE" && /SUCC|CANC/.test(event.toolCall.status)) {
        ended.push(event.toolCall.status);
      }
      const [one, other] = openQuestions(task.view());
      if (event.kind !== "STATE_CHANGE" || one === undefined || other === undefined) continue;
      await task.answer(one, "proceed_once");
      await task.answer(other, second);
    }

    expect(ended).toEqual(ends);
    expect(task.view().state).toBe("completed");
  },
);
