import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { expect, test } from "vitest";
import { serve } from "./serve.js";

test("a client gets the events of a turn from the server of the example", async () => {
  await using workspace = await openTempWorkspace();
  await using data = await openTempWorkspace();
  const server = await serve(0, data.root, workspace.root);
  const agent = await connect(server.url);

  const task = await agent.startTask({ workspacePath: workspace.root, prompt: "say hello" });
  const kinds: string[] = [];
  for await (const event of task.events()) kinds.push(event.kind);
  agent.close();
  await server.close();

  expect(kinds).toEqual(["STATE_CHANGE", "TITLE", "TEXT_CONTENT", "STATE_CHANGE"]);
});
