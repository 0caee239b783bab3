import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { greet } from "./commands.js";
import { embed } from "./embed.js";
import { listen } from "./event-bus.js";

test("the example runs a prompt and prints the agent's text", async () => {
  await using workspace = await openTempWorkspace();
  const texts: string[] = [];

  await embed(workspace.root, "say one then say two", (text) => texts.push(text));

  expect(texts).toEqual(["one", "two"]);
});

test("the handlers of the event bus print the text and the tool calls of a turn [SRV-26]", async () => {
  await using workspace = await openTempWorkspace();
  const lines: string[] = [];

  await listen(workspace.root, "say one then list", (line) => lines.push(line));

  expect(lines).toEqual([
    "AI Response: one",
    "Tool Call: list_directory requested",
    "Tool Call: list_directory executing",
    "Tool Call: list_directory completed",
  ]);
});

test("a command in code says its text, or fails with the reason of its CommandError [SRV-12]", async () => {
  await using workspace = await openTempWorkspace();

  expect(await greet(workspace.root, "Ada")).toBe("Hello Ada!");
  expect(await greet(workspace.root, "")).toBe("say whom to greet");
});
