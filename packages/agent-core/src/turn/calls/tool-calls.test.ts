import type { Caller, SessionEvent, ToolCall } from "@dt/schema";
import { expect, test } from "vitest";
import { ToolError } from "../../errors/tool-error.js";
import { openMemoryLedger } from "../../ledger/memory-ledger.js";
import { type ModelSessionOptions, openDrivenSession } from "../../testing/drive-session.js";
import { callTool, scriptedModel } from "../../testing/scripted-model.js";
import { scriptedTool } from "../../testing/scripted-tool.js";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import type { Action } from "../../tools/action.js";
import type { ToolRun } from "../../tools/tool.js";
import type { CheckpointPort } from "../turn-scope.js";

const alice: Caller = { user: "alice", name: "Alice", role: "approve" };
const parts = [{ type: "text", text: "go" }] as const;

async function openStage(options: Partial<ModelSessionOptions>) {
  const workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  const live: string[] = [];
  ledger.subscribe((event) => {
    if (event.kind === "TOOL_CALL_UPDATE" && event.cursor === undefined)
      live.push(event.toolCall.liveContent ?? "");
  });
  let calls = 0;
  const createId = () => `call-${++calls}`;
  const base = { model: scriptedModel([]), tools: [], workspace, ledger, createId, ...options };
  let session = await openDrivenSession(base);
  const until = async (fits: (event: SessionEvent) => boolean) => {
    for await (const event of ledger.read()) if (fits(event)) return event;
    throw new Error("the ledger ended");
  };
  return {
    workspace,
    live,
    async run() {
      await session.prompt({ messageId: "m", taskId: "t", parts }, alice);
      await until(({ state }) => ["completed", "input-required"].includes(state));
    },
    async reopen() {
      await session.close();
      session = await openDrivenSession({ ...base, journal: [...ledger.journal] });
    },
    async answer(selectedOptionId: string) {
      const answer = { toolCallId: "call-1", selectedOptionId, modifiedDetails: undefined };
      await session.answer(answer, alice);
      await until(({ state }) => state === "completed");
    },
    /** Returns every announced update of every call, in order. */
    calls: () =>
      ledger.events.flatMap((event) => (event.kind === "TOOL_CALL_UPDATE" ? [event.toolCall] : [])),
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const pending = (toolName: string, more: Partial<ToolCall> = {}): ToolCall => ({
  toolCallId: "call-1",
  toolName,
  status: "PENDING",
  inputParameters: {},
  result: undefined,
  ...more,
});
const failed = (toolName: string, type: string, message: string, more: Partial<ToolCall> = {}) =>
  pending(toolName, {
    status: "FAILED",
    result: { $case: "error", value: { message, type } },
    ...more,
  });
const done = { $case: "output", value: { result: { $case: "text", value: "done" } } } as const;
const edit: Action = { type: "edit", path: "/x/a.txt", isInside: false };
const other: Action = { type: "other", name: "act", target: "x" };

/** A tool that records the arguments of its runs. */
function createSpy(actions: readonly Action[]) {
  const runs: Omit<ToolRun, "print" | "ask" | "writeTodos" | "agentCalls">[] = [];
  const tool = scriptedTool({
    name: "act",
    actions: () => actions,
    run(_input, { print: _, ask: __, writeTodos: ___, agentCalls: ____, ...run }) {
      runs.push(run);
      return "done";
    },
  });
  return { tool, runs };
}

function createCheckpoints() {
  const saved: unknown[] = [];
  const checkpoints: CheckpointPort = {
    save: async (copy) => {
      saved.push(copy);
    },
  };
  return { saved, checkpoints };
}

test("an allowed call is announced, started and ended, and its tool gets the planned actions", async () => {
  const { tool, runs } = createSpy([other]);
  const { checkpoints, saved } = createCheckpoints();
  await using stage = await openStage({
    tools: [tool],
    mode: "yolo",
    checkpoints,
    model: scriptedModel([[callTool("act")]]),
  });

  await stage.run();

  const call = pending("act", { description: "act" });
  expect(stage.calls()).toEqual([
    call,
    { ...call, status: "EXECUTING" },
    { ...call, status: "SUCCEEDED", result: done },
  ]);
  expect(runs).toEqual([
    {
      toolCallId: "call-1",
      workspace: expect.objectContaining({ root: stage.workspace.root }),
      shown: undefined,
      planned: [other],
      mark: expect.stringMatching(/./),
      signal: expect.any(AbortSignal),
    },
  ]);
  expect(saved).toEqual([]);
});

test.each(["without a restart", "after a restart"])(
  "a tool that is approved %s gets the shown details, and a checkpoint saves its files",
  async (when) => {
    const { tool, runs } = createSpy([edit, other]);
    const { checkpoints, saved } = createCheckpoints();
    await using stage = await openStage({
      tools: [tool],
      checkpoints,
      model: scriptedModel([[callTool("act")]]),
    });
    await stage.run();

    if (when === "after a restart") await stage.reopen();
    await stage.answer("proceed_once");

    const shown = { $case: "genericDetails", value: { description: "act" } };
    expect(runs).toMatchObject([{ toolCallId: "call-1", shown, planned: [edit, other] }]);
    expect(saved).toEqual([{ turn: 1, paths: ["/x/a.txt"] }]);
    const asked = pending("act", { description: "act" });
    expect(stage.calls()).toEqual([
      { ...asked, confirmationRequest: { options: expect.any(Array), details: shown } },
      { ...asked, status: "EXECUTING" },
      { ...asked, status: "SUCCEEDED", result: done },
    ]);
  },
);

test("a tool runs after the checkpoint has saved its files", async () => {
  const order: string[] = [];
  const tool = scriptedTool({
    name: "act",
    actions: () => [edit],
    run() {
      order.push("ran");
      return "done";
    },
  });
  const checkpoints: CheckpointPort = {
    async save() {
      await new Promise(setImmediate);
      order.push("saved");
    },
  };
  await using stage = await openStage({
    tools: [tool],
    mode: "yolo",
    checkpoints,
    model: scriptedModel([[callTool("act")]]),
  });

  await stage.run();

  expect(order).toEqual(["saved", "ran"]);
});

test("the model's call of an internal tool fails, and the error lists the other tools", async () => {
  const hidden = { ...scriptedTool({ name: "hidden" }), isInternal: true };
  await using stage = await openStage({
    tools: [scriptedTool({ name: "one" }), hidden, scriptedTool({ name: "two" })],
    model: scriptedModel([[callTool("hidden")]]),
  });

  await stage.run();

  const message = "there is no tool called hidden; the tools are one, two";
  expect(stage.calls()).toEqual([pending("hidden"), failed("hidden", "unknown_tool", message)]);
});

test.each([
  ["inside", "has a description"],
  ["outside", "has no description"],
])("if plan mode denies an edit %s the workspace, the call %s", async (where) => {
  const action: Action = { type: "edit", path: "/x", isInside: where === "inside" };
  await using stage = await openStage({
    tools: [scriptedTool({ name: "act", actions: () => [action] })],
    mode: "plan",
    model: scriptedModel([[callTool("act")]]),
  });

  await stage.run();

  const described = where === "inside" ? { description: "act" } : {};
  const message =
    "in plan mode only reading is allowed: describe this step in the plan; it can be done once the person has left plan mode";
  expect(stage.calls()).toEqual([
    pending("act", described),
    failed("act", "not_allowed", message, described),
  ]);
});

test.each([
  ["inside", "has a description"],
  ["outside", "has no description"],
])("if plan mode denies a command %s the workspace, the call %s", async (where) => {
  let root = "";
  const tool = scriptedTool({
    name: "act",
    actions: () => [
      {
        type: "execute",
        command: "x",
        directory: where === "inside" ? root : "/",
        parts: undefined,
      },
    ],
  });
  await using stage = await openStage({
    tools: [tool],
    mode: "plan",
    model: scriptedModel([[callTool("act")]]),
  });
  ({ root } = stage.workspace);

  await stage.run();

  expect(stage.calls()[0]).toEqual(
    pending("act", where === "inside" ? { description: "act" } : {}),
  );
});

test.each(["plan", "preview"] as const)(
  "if the %s of a call fails, the call ends with that error",
  async (step) => {
    const tool = scriptedTool({ name: "act", actions: () => [] });
    const fail = () => Promise.reject(new ToolError("file_not_found", "there is no such file"));
    await using stage = await openStage({
      tools: [{ ...tool, [step]: fail }],
      model: scriptedModel([[callTool("act")]]),
    });

    await stage.run();

    const described = step === "preview" ? { description: "act" } : {};
    expect(stage.calls()).toEqual([
      pending("act", described),
      failed("act", "file_not_found", "there is no such file", described),
    ]);
    expect(tool.ran).toEqual([]);
  },
);

test("a preview replaces the plan's description, and the question shows the preview's details", async () => {
  const details = { $case: "executeDetails", value: { command: "rm x" } } as const;
  const previews: unknown[] = [];
  const tool = {
    ...scriptedTool({ name: "act", actions: () => [other] }),
    async preview(_input: object, { planned }: Pick<ToolRun, "planned">) {
      previews.push(planned);
      return { description: "looked at", details };
    },
  };
  await using stage = await openStage({
    tools: [tool],
    model: scriptedModel([[callTool("act")]]),
  });

  await stage.run();

  expect(previews).toEqual([[other]]);
  expect(stage.calls()).toMatchObject([
    { description: "looked at", confirmationRequest: { details } },
  ]);
});

test("a call whose result is nested too deep fails, and the error says that the tool has run", async () => {
  const nest = (depth: number): Record<string, unknown> =>
    depth === 0 ? {} : { a: nest(depth - 1) };
  const tool = {
    ...scriptedTool({ name: "act", actions: () => [] }),
    run: async () => ({ result: { $case: "structuredData", value: nest(200) } }) as const,
  };
  await using stage = await openStage({
    tools: [tool],
    model: scriptedModel([[callTool("act")]]),
  });

  await stage.run();

  expect(stage.calls().at(-1)).toEqual(
    failed(
      "act",
      "invalid_output",
      expect.stringMatching(/^the result is nested deeper than \d+ levels, but the tool has run$/),
      { description: "act" },
    ),
  );
});

test("live output is shown while the tool runs, and not after its end", async () => {
  let printLate = (_text: string) => {};
  const tool = scriptedTool({
    name: "act",
    actions: () => [],
    run(_input, { print }) {
      print("one");
      printLate = print;
      return "done";
    },
  });
  await using stage = await openStage({
    tools: [tool],
    model: scriptedModel([[callTool("act")]]),
  });

  await stage.run();
  printLate("two");

  expect(stage.live).toEqual(["one"]);
});
