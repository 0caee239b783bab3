import { expect, test } from "vitest";
import { callTool, say, scriptedModel } from "../testing/scripted-model.js";
import { openCommandStage } from "./open-command-stage.test-support.js";

test("a restart in the middle of a command's model request", async () => {
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
  expect(
    stage
      .session()
      .snapshot()
      .history.map((h) => h.role),
  ).toEqual(["user", "model", "tool", "model"]);
});
test("a failed command does not replace the failed turn", async () => {
  let n = 0;
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
    model: {
      name: "m",
      async *stream() {
        n += 1;
        if (n === 1) throw new Error("x");
        yield say("ok");
      },
    },
  });
  expect(await stage.run("/bad")).toBe("bad");
  expect(await stage.run("/retry")).toBe("no turn has failed");
});
