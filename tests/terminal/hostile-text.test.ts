import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { openScreen } from "./support/open-screen.js";
import { openStreamingModel } from "./support/open-streaming-model.js";

const ENTER = "\r";

test.each([
  ["quotes in quotes", "> ".repeat(2_000)],
  ["emphasis that never closes", "*a_".repeat(5_000)],
])("dt shows a text of %s, even after its session is resumed [SEC-09]", async (_, text) => {
  await using workspace = await openTempWorkspace();
  await using model = await openStreamingModel(`${text}\n\nthe end`);
  const { environment } = model;
  const args = ["--model", "openai:talker"];

  {
    await using screen = openScreen({ cwd: workspace.root, args, environment });
    await screen.until("Ask anything");
    screen.type(`hello${ENTER}`);
    await screen.until("the end");
    screen.type("\x04");
    expect(await screen.exited).toBe(0);
  }

  await using resumed = openScreen({
    cwd: workspace.root,
    args: [...args, "--resume"],
    environment,
  });
  await resumed.until("the end");
  resumed.type("\x04");
  expect(await resumed.exited).toBe(0);
});
