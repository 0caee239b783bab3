import type { Caller, SessionEvent } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryLedger } from "../../ledger/memory-ledger.js";
import { openDrivenSession } from "../../testing/drive-session.js";
import { callTool, scriptedModel } from "../../testing/scripted-model.js";
import { scriptedTool } from "../../testing/scripted-tool.js";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import type { Action } from "../../tools/action.js";
import type { NestedQuestion, ToolRun } from "../../tools/tool.js";

const ada: Caller = { user: "ada", name: "Ada", role: "approve" };
const action: Action = { type: "mcp", serverName: "s", toolName: "t" };
const details = { $case: "genericDetails", value: { description: "d" } } as const;
const question: NestedQuestion = {
  toolName: "inner",
  input: { x: 1 },
  description: "does x",
  details,
};
const output = { result: { $case: "text", value: "ok" } } as const;

/** Opens a session whose model calls one tool. The test supplies the function that the tool runs. */
async function openStage(
  run: (run: ToolRun) => Promise<string>,
  mode: "plan" | "yolo" | "default" = "default",
) {
  const workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  let calls = 0;
  const read: Action = { type: "read", path: "/", isInside: true };
  const session = await openDrivenSession({
    model: scriptedModel([[callTool("outer")]]),
    tools: [scriptedTool({ name: "outer", actions: () => [read], run: (_, given) => run(given) })],
    createId: () => `call-${++calls}`,
    workspace,
    ledger,
    mode,
  });
  const until = async (fits: (event: SessionEvent) => boolean) => {
    for await (const event of ledger.read()) if (fits(event)) return event;
    throw new Error("the ledger ended");
  };
  return {
    ledger,
    session,
    prompt: () =>
      session.prompt({ messageId: "m", taskId: "t", parts: [{ type: "text", text: "go" }] }, ada),
    untilAsked: () => until(({ state }) => state === "input-required"),
    untilEnd: () => until(({ state }) => ["completed", "failed"].includes(state)),
    answer: (selectedOptionId: string) =>
      session.answer({ toolCallId: "call-2", selectedOptionId, modifiedDetails: undefined }, ada),
    /** Returns the journal records of the nested question. */
    records: () => ledger.journal.filter((record) => JSON.stringify(record).includes("call-2")),
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const inner = {
  toolCallId: "call-2",
  toolName: "inner",
  description: "does x",
  status: "PENDING",
  inputParameters: { x: 1 },
  result: undefined,
};

test("a nested question with actions is journaled, and its answer proceed_always is remembered", async () => {
  const granted: boolean[] = [];
  await using stage = await openStage(async ({ ask }) => {
    for (let count = 0; count < 2; count += 1) {
      const answer = await ask({ ...question, actions: [action] });
      granted.push(answer.isGranted);
      if (answer.isGranted) await answer.finish({ type: "succeed", output });
      if (answer.isGranted) await answer.finish({ type: "succeed", output });
    }
    return "done";
  });
  await stage.prompt();
  await stage.untilAsked();

  const asking = {
    ...inner,
    confirmationRequest: { options: expect.any(Array), details },
  };
  expect(stage.records()).toEqual([
    { type: "call-nested", parentCallId: "call-1", toolCall: asking },
    {
      type: "asked",
      toolCallId: "call-2",
      actions: [action],
      scopes: [{ scope: "mcp:s:t", words: "calls of t on s" }],
      targets: ['mcp:["s","t"]'],
    },
  ]);
  await stage.answer("proceed_always");
  await stage.untilEnd();

  expect(granted).toEqual([true, true]);
  const updates = stage.ledger.events.flatMap((event) =>
    event.kind === "TOOL_CALL_UPDATE" ? [event] : [],
  );
  expect(
    updates.map(({ toolCall, parentCallId }) => [
      toolCall.toolCallId,
      toolCall.status,
      parentCallId,
    ]),
  ).toEqual([
    ["call-1", "PENDING", undefined],
    ["call-1", "EXECUTING", undefined],
    ["call-2", "PENDING", "call-1"],
    ["call-2", "EXECUTING", "call-1"],
    ["call-2", "SUCCEEDED", "call-1"],
    ["call-3", "PENDING", "call-1"],
    ["call-3", "EXECUTING", "call-1"],
    ["call-3", "SUCCEEDED", "call-1"],
    ["call-1", "SUCCEEDED", undefined],
  ]);
  expect(updates[2]?.toolCall).toEqual(asking);
  expect(updates[5]?.toolCall).toEqual({ ...inner, toolCallId: "call-3" });
});

test("a nested question without actions does not accept proceed_always", async () => {
  await using stage = await openStage(async ({ ask }) => String((await ask(question)).isGranted));
  await stage.prompt();
  await stage.untilAsked();

  await expect(stage.answer("proceed_always")).rejects.toMatchObject({ code: "invalid-message" });
  await stage.answer("proceed_once");
  await stage.untilEnd();

  expect(stage.records()[1]).toEqual({
    type: "asked",
    toolCallId: "call-2",
    actions: [],
    scopes: [],
    targets: [],
  });
});

test("a refused nested question is not asked again in the same turn", async () => {
  const answers: unknown[] = [];
  await using stage = await openStage(async ({ ask }) => {
    for (let count = 0; count < 2; count += 1)
      answers.push(await ask({ ...question, actions: [action] }));
    return "done";
  });
  await stage.prompt();
  await stage.untilAsked();
  await stage.answer("cancel");
  await stage.untilEnd();

  expect(answers).toEqual([
    { isGranted: false },
    { isGranted: false, reason: expect.stringContaining("the person rejected the call s t") },
  ]);
});

test("a nested question that plan mode denies is refused with the reason", async () => {
  const answers: unknown[] = [];
  await using stage = await openStage(async ({ ask }) => {
    answers.push(await ask(question));
    return "done";
  }, "plan");
  await stage.prompt();
  await stage.untilEnd();

  expect(answers).toEqual([
    { isGranted: false, reason: expect.stringMatching(/^in plan mode only reading is allowed/) },
  ]);
});

test("a call can ask at most 256 nested questions, and none after its end", async () => {
  let late: ToolRun["ask"] | undefined;
  let count = 0;
  await using stage = await openStage(async ({ ask }) => {
    late = ask;
    for (; ; count += 1) await ask(question);
  }, "yolo");
  await stage.prompt();
  await stage.untilEnd();

  expect(count).toBe(256);
  expect(stage.session.snapshot().history.at(-1)).toMatchObject({
    results: [
      {
        isError: true,
        text: "a tool call may ask at most 256 questions; ask fewer, or make several calls",
      },
    ],
  });
  await expect(late?.(question)).rejects.toThrow("the call that asked has ended");
});
