import { builtinTools, createOfflineModel, createSession, openWorkspace } from "@dt/agent-core";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import type { OpenAgent } from "@dt/server";
import { expect, test } from "vitest";
import { createHeldModel } from "./support/held-model.js";
import { openStage } from "./support/open-stage.js";
import { parseEvents, post, readStream } from "./support/raw-rpc.js";

const prompt = (messageId: string, root: string) => ({
  message: {
    kind: "message",
    role: "user",
    messageId,
    parts: [{ kind: "text", text: "hello" }],
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: root } },
  },
});

test("past its turns the server lets a prompt wait, and past that says that it is busy and when to try again [SRV-10]", async () => {
  const model = createHeldModel();
  await using stage = await openStage({
    model,
    server: { limits: { maxTurns: 1, maxWaitingPrompts: 1 } },
  });
  const { url, workspace } = stage;
  const send = (messageId: string) =>
    post(url, "message/stream", prompt(messageId, workspace.root));
  const first = await send("first");
  await model.asked(1);

  const second = send("second");
  // Whichever of the two comes later finds the line full.
  const third = send("third");
  const refused = await Promise.race([second, third]);
  const [event] = parseEvents(await refused.text());
  model.release();
  const waited = await Promise.all([second, third]);
  const states = [first, ...waited.filter((response) => response !== refused)].map(
    async (response) => (await readStream(response)).at(-1)?.json.result.status.state,
  );

  expect(event?.json.error).toMatchObject({ code: -32051, data: { retryAfterMs: 1_000 } });
  expect(await Promise.all(states)).toEqual(["completed", "completed"]);
  expect(stage.faults).toEqual([]);
});

test("a session that left memory while it waited for an answer takes it all the same [SRV-20, SRV-21, LOG-03]", async () => {
  const closed: string[] = [];
  const openAgent: OpenAgent = async ({ contextId, settings, ledger, journal }) => {
    const workspace = await openWorkspace(settings.workspacePath);
    const model = createOfflineModel();
    const session = await createSession({ model, tools: builtinTools, workspace, ledger, journal });
    const close = async () => {
      await session.close();
      closed.push(contextId);
    };
    return { ...session, close };
  };
  const limits = { sessionIdleMs: 1 };
  await using stage = await openStage({ server: { openAgent, sweepMs: 5, limits } });
  const client = await stage.connect();
  const task = await client.startTask({
    workspacePath: stage.workspace.root,
    prompt: "write a.txt: hi then say done",
  });
  let toolCallId = "";
  for await (const event of task.events()) {
    if (event.kind !== "STATE_CHANGE" || event.waiting === undefined) continue;
    toolCallId = event.waiting[0]?.toolCallId ?? "";
    break;
  }
  await expect.poll(() => closed).toContain(task.contextId);

  const answer = await task.answer({ toolCallId }, "proceed_once");
  await expect
    .poll(async () => (await client.openTask(task.taskId)).view().state)
    .toBe("completed");

  expect(answer).toEqual({ accepted: true });
  expect(await stage.workspace.read("a.txt")).toBe("hi");
  expect(stage.faults).toEqual([]);
});
