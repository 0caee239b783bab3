import { methods } from "@agentclientprotocol/sdk";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { openLiveStage } from "../support/open-live-stage.js";
import { choose, openEditor } from "./open-editor.js";

test("an editor attaches to a terminal's session, sees its history, prompts and answers [ACP-02]", async () => {
  await using home = await openTempWorkspace();
  await using terminal = await openLiveStage();
  await terminal.type("say from the terminal");
  const { contextId } = terminal.live;
  await using editor = await openEditor({
    home: home.root,
    args: ["--attach", terminal.url, contextId],
    answer: choose("allow_once"),
  });
  const cwd = terminal.workspace.root;

  expect(await editor.open(cwd)).toBe(contextId);
  const load = { sessionId: contextId, cwd, mcpServers: [] };
  await editor.agent.request(methods.agent.session.load, load);
  expect(await editor.prompt(contextId, "run touch attached then say done")).toBe("end_turn");
  const { sessions } = await editor.agent.request(methods.agent.session.list, {});

  expect(editor.said()).toContain("from the terminal");
  expect(editor.said()).toContain("done");
  expect(sessions.map(({ sessionId }) => sessionId)).toContain(contextId);
  expect(await terminal.workspace.read("attached")).toBe("");
});
