import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { programs, runExample } from "./support/run-example.js";

test.each(programs)("the program of $name does what it says", async ({ name, args, says }) => {
  await using stage = await openStage();

  const { exitCode, output } = await runExample(name, args(stage.url), stage.workspace.root);

  expect(output).toMatch(says);
  expect(exitCode).toBe(0);
});

test.each(programs)("the program of $name fails where no agent is", async ({ name, args }) => {
  const { exitCode, output } = await runExample(name, args("http://127.0.0.1:1"), tmpdir());

  expect(exitCode).toBe(1);
  expect(output).toContain("no agent answers at http://127.0.0.1:1; is it running?");
});

test("a question that the first program cannot answer ends it, and it says so", async () => {
  await using stage = await openStage();

  const { exitCode, output } = await runExample(
    "stream-a-prompt",
    ["write a.txt: a", stage.url],
    stage.workspace.root,
  );

  expect(exitCode).toBe(1);
  expect(output).toContain("canceled");
});
