import { methods, type SessionUpdate } from "@agentclientprotocol/sdk";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { choose, openEditor } from "./open-editor.js";

const { session } = methods.agent;

test("after dt was killed during a question, a loaded session has its history and asks again [ACP-02, LOG-03]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  const killed = await openEditor({ home: home.root });
  const sessionId = await killed.open(workspace.root);
  await killed.prompt(sessionId, "say hello");
  const lost = killed.prompt(sessionId, "run echo ran >> ran.txt then say done").catch(() => {});
  const before = await killed.asked();
  await killed.kill();
  await lost;

  await using editor = await openEditor({ home: home.root, answer: choose("allow_once") });
  const request = { sessionId, cwd: workspace.root, mcpServers: [] };
  await editor.agent.request(session.load, request);
  const history = editor.updates.map(describe).filter((line) => line !== "");
  const again = await editor.asked();
  await editor.update((update) => describe(update) === "agent done");

  expect(history).toEqual([
    "user say hello",
    "agent hello",
    "user run echo ran >> ran.txt then say done",
    `call ${before.toolCall.toolCallId} pending`,
  ]);
  expect(again.toolCall.toolCallId).toBe(before.toolCall.toolCallId);
  expect(editor.questions).toHaveLength(1);
  expect(await workspace.read("ran.txt")).toBe("ran\n");
});

test("if a session is loaded again in one process, its turn continues and its question is asked again [ACP-02]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  let answers = 0;
  await using editor = await openEditor({
    home: home.root,
    async answer(request, signal) {
      answers += 1;
      if (answers > 1) return await choose("allow_once")(request);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { outcome: { outcome: "cancelled" } };
    },
  });
  const sessionId = await editor.open(workspace.root);
  const first = editor.prompt(sessionId, "run echo ran >> ran.txt then say done");
  await editor.asked();

  const request = { sessionId, cwd: workspace.root, mcpServers: [] };
  await editor.agent.request(session.load, request);
  await editor.update((update) => describe(update) === "agent done");

  expect(await first).toBe("cancelled");
  expect(editor.questions).toHaveLength(2);
  expect(await workspace.read("ran.txt")).toBe("ran\n");
});

test("a session can be loaded in a second process only after the first process has ended [ACP-02]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  const editor = await openEditor({ home: home.root });
  const sessionId = await editor.open(workspace.root);
  await editor.prompt(sessionId, "say hello");
  const refused = await openEditor({ home: home.root });
  const request = { sessionId, cwd: workspace.root, mcpServers: [] };

  await expect(refused.agent.request(session.load, request)).rejects.toThrow(
    "is open in another process",
  );
  await editor.close();
  await refused.agent.request(session.load, request);

  expect(refused.updates.map(describe)).toContain("agent hello");
  await refused.close();
});

function describe(update: SessionUpdate): string {
  switch (update.sessionUpdate) {
    case "user_message_chunk":
      return update.content.type === "text" ? `user ${update.content.text}` : "";
    case "agent_message_chunk":
      return update.content.type === "text" ? `agent ${update.content.text}` : "";
    case "tool_call":
      return `call ${update.toolCallId} ${update.status}`;
    default:
      return "";
  }
}
