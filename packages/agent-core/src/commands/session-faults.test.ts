import { expect, test } from "vitest";
import { callTool, say, scriptedModel } from "../testing/scripted-model.js";
import { openCommandStage } from "./open-command-stage.test-support.js";

test("if a command has prompted the model, its turn continues at the open question after a restart", async () => {
  await using stage = await openCommandStage({
    commands: () => [
      {
        name: "p",
        description: "",
        run: async () => ({ type: "done", prompt: [{ type: "text", text: "go" }] }),
      },
    ],
    model: scriptedModel([
      [callTool("write_file", { file_path: "x", content: "1" })],
      [say("end")],
    ]),
  });
  await stage.begin("/p");
  await stage.untilAsked(1);

  await stage.reopen();
  await stage.answer("proceed_once");
  await stage.end();

  const { history } = stage.session().snapshot();
  expect(history.map(({ role }) => role)).toEqual(["user", "model", "tool", "model"]);
});

test("/retry does not run a failed command again", async () => {
  await using stage = await openCommandStage({
    commands: () => [
      {
        name: "bad",
        description: "",
        run: async () => {
          throw new Error("bad");
        },
      },
      {
        name: "retry",
        description: "",
        run: async () => ({ type: "done", effect: { type: "retry" } }),
      },
    ],
  });

  expect(await stage.run("/bad")).toBe("bad");
  expect(await stage.run("/retry")).toBe("no turn has failed");
});
