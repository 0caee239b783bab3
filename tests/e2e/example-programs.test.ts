import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { programs, runExample } from "./support/run-example.js";

test.each(programs)(
  "the program of the example $name prints its documented output",
  async ({ name, args, says }) => {
    await using stage = await openStage();

    const { exitCode, output } = await runExample(name, args(stage.url), stage.workspace.root);

    expect(output).toMatch(says);
    expect(exitCode).toBe(0);
  },
);

test.each(programs)(
  "the program of the example $name fails if no agent answers",
  async ({ name, args }) => {
    const { exitCode, output } = await runExample(name, args("http://127.0.0.1:1"), tmpdir());

    expect(exitCode).toBe(1);
    expect(output).toContain("no agent answers at http://127.0.0.1:1; is it running?");
  },
);

test("the first example program reports a question that it cannot answer and exits", async () => {
  await using stage = await openStage();

  const { exitCode, output } = await runExample(
    "stream-a-prompt",
    ["write a.txt: a", stage.url],
    stage.workspace.root,
  );

  expect(exitCode).toBe(1);
  expect(output).toContain("canceled");
});
