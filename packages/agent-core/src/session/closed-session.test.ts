import type { Caller } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import { openDrivenSession } from "../testing/drive-session.js";
import { callTool, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";

const ada: Caller = { user: "ada", name: "Ada", role: "approve" };
const parts = [{ type: "text", text: "go" }] as const;

test.each(["prompt", "withdraw", "retry", "answer", "cancel", "runCommand", "finish"] as const)(
  "a closed session refuses the request %s",
  async (name) => {
    await using workspace = await openTempWorkspace();
    const ledger = openMemoryLedger();
    const session = await openDrivenSession({
      model: scriptedModel([]),
      tools: [],
      workspace,
      ledger,
    });
    const answer = { toolCallId: "c", selectedOptionId: "cancel", modifiedDetails: undefined };
    const calls = {
      prompt: () => session.prompt({ messageId: "m", taskId: "t", parts }, ada),
      withdraw: () => session.withdraw("m"),
      retry: () => session.retry(),
      answer: () => session.answer(answer, ada),
      cancel: () => session.cancel("t"),
      runCommand: () =>
        session.runCommand({ path: ["x"], args: "", taskId: "t", messageId: "m" }, ada),
      finish: () => session.finish(),
    };
    await session.close();

    await expect(calls[name]()).rejects.toMatchObject({ code: "agent-busy" });
  },
);

test("a checkpoint is saved only before a call that changes files", async () => {
  await using workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  const saved: unknown[] = [];
  const file = `${workspace.root}/a.txt`;
  const look = scriptedTool({ name: "look", actions: () => [] });
  const write = scriptedTool({
    name: "write",
    actions: () => [{ type: "edit", path: file, isInside: true }],
  });
  const session = await openDrivenSession({
    model: scriptedModel([[callTool("look"), callTool("write")]]),
    tools: [look, write],
    workspace,
    ledger,
    mode: "yolo",
    checkpoints: {
      save: async (files) => {
        saved.push({ ...files, ran: write.ran.length });
      },
    },
  });

  await session.prompt({ messageId: "m", taskId: "t", parts }, ada);
  for await (const event of ledger.read())
    if (event.kind === "STATE_CHANGE" && event.state === "completed") break;
  await session.close();

  expect(saved).toEqual([{ turn: 1, paths: [file], ran: 0 }]);
});
