// region: snippet
import { readFile } from "node:fs/promises";
import { isText } from "@dt/client";
import { createFakeAgent, playRecording } from "@dt/client/testing";
import { expect, test } from "vitest";

test("the plugin shows the text of a recorded session", async () => {
  const recording = await readFile(new URL("session.jsonl", import.meta.url), "utf8");
  const agent = createFakeAgent({ script: playRecording(recording) });
  const client = await agent.connect();
  const task = await client.startTask({ workspacePath: "/workspace", prompt: "say hello" });
  const texts: string[] = [];
  for await (const event of task.events()) if (isText(event)) texts.push(event.text);
  client.close();

  expect(texts).toEqual(["hello"]);
});
// endregion
