import type { Caller, SessionEvent, ToolCallUpdate } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import { openDrivenSession } from "../testing/drive-session.js";
import { callTool, say, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import type { NestedQuestion, ToolRun } from "../tools/tool.js";

const ada: Caller = { user: "ada", name: "Ada", credential: "ada's", role: "approve" };

const question: NestedQuestion = {
  toolName: "remote_edit",
  input: { path: "/x" },
  description: "edit /x over there",
  details: { $case: "genericDetails", value: { description: "edit /x" } },
};

/**
 * A session whose model calls a tool that needs no permission but asks a question while it runs.
 */
async function openStage(
  run: (run: ToolRun) => Promise<string>,
  mode?: "plan" | "yolo" | "default",
) {
  const workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  const events: SessionEvent[] = [];
  const tool = scriptedTool({
    name: "call_agent",
    actions: () => [{ type: "read", path: workspace.root, isInside: true }],
    run: (_, toolRun) => run(toolRun),
  });
  const open = () =>
    openDrivenSession({
      model: scriptedModel([[callTool("call_agent")], [say("finished")]]),
      tools: [tool],
      workspace,
      ledger,
      journal: ledger.journal,
      ...(mode !== undefined && { mode }),
    });
  let session = await open();
  await session.prompt({ messageId: "m", taskId: "t", parts: [{ type: "text", text: "go" }] }, ada);
  const calls = () =>
    events.filter((event): event is SessionEvent & ToolCallUpdate => "toolCall" in event);
  return {
    get session() {
      return session;
    },
    events,
    tool,
    async reopen() {
      await session.close();
      session = await open();
    },
    async until(fits: (event: SessionEvent) => boolean): Promise<SessionEvent> {
      events.length = 0;
      for await (const event of ledger.read()) {
        events.push(event);
        if (fits(event)) return event;
      }
      throw new Error("the ledger ended");
    },
    /** Returns the call updates in order: tool, status, and the tool of the parent call. */
    steps: () => {
      const names = new Map(
        calls().map(({ toolCall }) => [toolCall.toolCallId, toolCall.toolName]),
      );
      return calls().map(({ toolCall: { toolName, status }, parentCallId }) =>
        [toolName, status, ...(parentCallId === undefined ? [] : [names.get(parentCallId)])].join(
          " ",
        ),
      );
    },
    async answer(selectedOptionId: string, reason?: string) {
      const asked = calls().findLast(({ toolCall }) => toolCall.confirmationRequest)?.toolCall;
      const confirmation = {
        toolCallId: asked?.toolCallId ?? "",
        selectedOptionId,
        modifiedDetails: undefined,
        ...(reason !== undefined && { reason }),
      };
      return await session.answer(confirmation, ada);
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const asks = (event: SessionEvent) => event.state === "input-required";
const isOver = (event: SessionEvent) => event.state === "completed" || event.state === "failed";

test("the text that the person wrote reaches the call that asked", async () => {
  const names = { fileName: "x", filePath: "/x", formattedDiff: "" };
  const shown = { ...names, oldContent: "", newContent: "a" };
  const edit: NestedQuestion = {
    ...question,
    // An input of that name is left out, because it could be mistaken for an edit.
    input: { path: "/x", edited_content: "of the agent" },
    details: { $case: "fileEditDetails", value: shown },
  };
  await using stage = await openStage(async ({ ask }) => {
    const answer = await ask(edit);
    return answer.isGranted ? String(answer.newContent) : "refused";
  });

  const asked = await stage.until(asks);
  const [call] = asked.kind === "STATE_CHANGE" ? (asked.waiting ?? []) : [];
  const modifiedDetails = { $case: "fileDetails", value: { newContent: "of Ada" } } as const;
  const toolCallId = call?.toolCallId ?? "";
  const answer = { toolCallId, selectedOptionId: "proceed_once", modifiedDetails };
  await stage.session.answer(answer, ada);
  await stage.until(isOver);

  expect(call?.inputParameters).toEqual({ path: "/x" });
  const results = stage.session.snapshot().history.filter(({ role }) => role === "tool");
  expect(results).toMatchObject([{ results: [{ toolName: "call_agent", text: "of Ada" }] }]);
});

test("a question inside a running tool call is a tool call of its own and blocks the turn", async () => {
  await using stage = await openStage(async ({ ask }) => {
    const answer = await ask(question);
    if (answer.isGranted) {
      await answer.finish({ type: "succeed", output: { result: { $case: "text", value: "ok" } } });
    }
    return String(answer.isGranted);
  });
  const asked = await stage.until(asks);

  expect(asked).toMatchObject({
    kind: "STATE_CHANGE",
    waiting: [{ toolName: "remote_edit", description: "edit /x over there", status: "PENDING" }],
  });
  expect(await stage.answer("proceed_once")).toMatchObject({ accepted: true });
  await stage.until(isOver);

  expect(stage.steps()).toEqual([
    "call_agent PENDING",
    "call_agent EXECUTING",
    "remote_edit PENDING call_agent",
    "remote_edit EXECUTING call_agent",
    "remote_edit SUCCEEDED call_agent",
    "call_agent SUCCEEDED",
  ]);
  // The model sees only the result of the call that it requested.
  const results = stage.session.snapshot().history.filter(({ role }) => role === "tool");
  expect(results).toMatchObject([{ results: [{ toolName: "call_agent", text: "true" }] }]);
});

test("a refusal and its reason reach the tool, and the tool continues", async () => {
  await using stage = await openStage(async ({ ask }) => JSON.stringify(await ask(question)));
  await stage.until(asks);

  await stage.answer("cancel", "not in that file");
  await stage.until(isOver);

  expect(stage.steps().slice(2)).toEqual([
    "remote_edit PENDING call_agent",
    "remote_edit CANCELLED call_agent",
    "call_agent SUCCEEDED",
  ]);
  expect(stage.session.snapshot().history.at(-2)).toMatchObject({
    results: [{ text: '{"isGranted":false,"reason":"not in that file"}' }],
  });
});

test("after a restart, the parent call has failed and its nested question is cancelled", async () => {
  await using stage = await openStage(async ({ ask }) => String((await ask(question)).isGranted));
  await stage.until(asks);

  await stage.reopen();
  const end = await stage.until(isOver);

  expect(end).toMatchObject({ state: "failed", error: "interrupted by a restart" });
  expect(stage.steps().slice(3)).toEqual(["call_agent FAILED", "remote_edit CANCELLED call_agent"]);
  expect(stage.tool.ran).toHaveLength(1);
  expect(await stage.answer("proceed_once")).toEqual({ accepted: false, reason: "unknown" });
});

test("a question is cancelled if its call ends without waiting for the answer", async () => {
  const outcomes: unknown[] = [];
  await using stage = await openStage(async ({ ask }) => {
    ask(question).then(
      (answer) => outcomes.push(answer),
      (reason: unknown) => outcomes.push(String(reason)),
    );
    // The call ends as soon as its question has been announced.
    await stageAsked;
    return "left";
  });
  let leave = () => {};
  const stageAsked = new Promise<void>((resolve) => {
    leave = resolve;
  });
  await stage.until(asks);
  leave();
  await stage.until(isOver);

  expect(stage.steps().slice(3)).toEqual([
    "call_agent SUCCEEDED",
    "remote_edit CANCELLED call_agent",
  ]);
  expect(outcomes).toEqual(["Error: the call that asked has ended"]);
});

test.each([
  ["plan", false, ["call_agent SUCCEEDED"]],
  ["yolo", true, ["remote_edit PENDING call_agent", "remote_edit EXECUTING call_agent"]],
] as const)("in %s mode the policy answers a nested question", async (mode, isGranted, steps) => {
  await using stage = await openStage(
    async ({ ask }) => String((await ask(question)).isGranted),
    mode,
  );

  await stage.until(isOver);

  expect(stage.steps().slice(2)).toEqual(expect.arrayContaining([...steps]));
  expect(stage.session.snapshot().history.at(-2)).toMatchObject({
    results: [{ text: String(isGranted) }],
  });
});
