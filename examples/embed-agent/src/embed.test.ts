import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { embed } from "./embed.js";

test("the example runs a prompt and prints the agent's text", async () => {
  await using workspace = await openTempWorkspace();
  const texts: string[] = [];

  await embed(workspace.root, "say one then say two", (text) => texts.push(text));

  expect(texts).toEqual(["one", "two"]);
});
