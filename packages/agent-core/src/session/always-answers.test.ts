import type { Caller, SessionEvent } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import { openDrivenSession } from "../testing/drive-session.js";
import { callTool, say, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import type { Tool } from "../tools/tool.js";

const ada: Caller = { user: "ada", name: "Ada", role: "approve" };
const bob: Caller = { user: "bob", name: "Bob", role: "approve" };

/** Opens a session. The text of each prompt is the name of the tool that the model calls. */
async function openStage(tools: readonly Tool[]) {
  const workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  const model = {
    ...scriptedModel([]),
    async *stream({ history }: Parameters<ReturnType<typeof scriptedModel>["stream"]>[0]) {
      const last = history.at(-1);
      const text = last?.role === "user" ? JSON.stringify(last) : "";
      const named = tools.find(({ name }) => text.includes(`"${name}"`));
      yield named === undefined ? say("done") : callTool(named.name);
    },
  };
  const session = await openDrivenSession({ model, tools, workspace, ledger });
  let turns = 0;
  const ofTask = (taskId: string) => ledger.events.filter((event) => event.taskId === taskId);
  return {
    ofTask,
    /** Sends a prompt and answers its questions. Resolves with true if the turn asked a question. */
    async promptAndAnswer(prompter: Caller, text: string, answer = "cancel", answerer = prompter) {
      const taskId = `t${++turns}`;
      const parts = [{ type: "text", text }] as const;
      await session.prompt({ messageId: taskId, taskId, parts }, prompter);
      let hasAsked = false;
      for await (const event of ledger.read()) {
        if (event.taskId !== taskId) continue;
        if (isEnd(event)) return hasAsked;
        if (event.kind !== "TOOL_CALL_UPDATE" || event.toolCall.status !== "PENDING") continue;
        const { toolCallId, confirmationRequest } = event.toolCall;
        if (confirmationRequest === undefined) continue;
        hasAsked = true;
        await session.answer(
          { toolCallId, selectedOptionId: answer, modifiedDetails: undefined },
          answerer,
        );
      }
      throw new Error("the ledger ended");
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const isEnd = (event: SessionEvent) =>
  event.kind === "STATE_CHANGE" && ["completed", "failed", "canceled"].includes(event.state);

test("proceed_always applies to later turns of the person who answered, not of the prompter [SEC-07]", async () => {
  const write = scriptedTool({ name: "write" });
  await using stage = await openStage([write]);

  expect(await stage.promptAndAnswer(ada, "write", "proceed_always", bob)).toBe(true);

  expect(await stage.promptAndAnswer(bob, "write")).toBe(false);
  expect(await stage.promptAndAnswer(ada, "write")).toBe(true);
  expect(write.ran).toHaveLength(2);
});

test("proceed_always for a tool of one MCP server allows no tool of another server [SEC-07]", async () => {
  const toolOf = (serverName: string) =>
    scriptedTool({
      name: `${serverName}__delete`,
      actions: () => [{ type: "mcp", serverName, toolName: "delete" }],
    });
  await using stage = await openStage([toolOf("mine"), toolOf("theirs")]);

  expect(await stage.promptAndAnswer(ada, "mine__delete", "proceed_always")).toBe(true);

  expect(await stage.promptAndAnswer(ada, "mine__delete")).toBe(false);
  expect(await stage.promptAndAnswer(ada, "theirs__delete")).toBe(true);
});

test("a call whose input does not match its schema fails without a question [RFC-13]", async () => {
  const planned: unknown[] = [];
  const write = scriptedTool({
    name: "write",
    actions: (input) => {
      planned.push(input);
      return [{ type: "other", name: "write", target: "x" }];
    },
  });
  const parameters = { type: "object", required: ["path"], properties: { path: {} } };
  await using stage = await openStage([{ ...write, parameters }]);

  expect(await stage.promptAndAnswer(ada, "write", "proceed_once")).toBe(false);

  expect(planned).toEqual([]);
  expect(write.ran).toEqual([]);
  const last = stage.ofTask("t1").findLast((event) => event.kind === "TOOL_CALL_UPDATE");
  expect(last).toMatchObject({
    toolCall: { status: "FAILED", result: { value: { type: "invalid_input" } } },
  });
});
