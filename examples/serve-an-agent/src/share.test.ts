import { openTempWorkspace } from "@dt/agent-core/testing";
import { connect } from "@dt/client";
import { expect, test } from "vitest";
import { share } from "./share.js";

test("a client joins the live session that the example prompts, and sees its items", async () => {
  await using workspace = await openTempWorkspace();
  await using data = await openTempWorkspace();
  const kinds: string[] = [];
  const joined: string[] = [];

  await share(data.root, workspace.root, async (event, url) => {
    kinds.push(event.kind);
    if (event.kind !== "TEXT_CONTENT") return;
    const agent = await connect(url);
    joined.push(
      ...(await agent.openTask(event.taskId)).view().items.map((item) => item.event.kind),
    );
    agent.close();
  });

  expect(kinds).toEqual(["USER_PROMPT", "STATE_CHANGE", "TITLE", "TEXT_CONTENT", "STATE_CHANGE"]);
  expect(joined.slice(0, 2)).toEqual(["USER_PROMPT", "TEXT_CONTENT"]);
});
