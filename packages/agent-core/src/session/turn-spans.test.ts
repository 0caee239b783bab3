import type { Caller, SessionEvent } from "@dt/schema";
import { ROOT_CONTEXT } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import { ModelError } from "../model/model.js";
import { type ModelSessionOptions, openDrivenSession } from "../testing/drive-session.js";
import { callTool, say, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { inSpan } from "../tracing/in-span.js";
import { recordSpans } from "../tracing/record-spans.test-support.js";

const alice: Caller = { user: "alice", name: "Alice", role: "approve" };
const parts = [{ type: "text", text: "go" }] as const;
const usage = { inputTokens: 3, outputTokens: 4, thoughtTokens: 5, cachedTokens: 1 };

async function openStage(options: Partial<ModelSessionOptions> = {}) {
  const traced = recordSpans();
  const workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  let calls = 0;
  const createId = () => `call-${++calls}`;
  const base = { model: scriptedModel([]), tools: [], workspace, ledger, createId };
  const session = await openDrivenSession({ ...base, ...options });
  return {
    ledger,
    session,
    spans: traced.spans,
    prompt: () => session.prompt({ messageId: "m", taskId: "t", parts }, alice),
    answer: (toolCallId: string, selectedOptionId: string) =>
      session.answer({ toolCallId, selectedOptionId, modifiedDetails: undefined }, alice),
    async until(fits: (event: SessionEvent) => boolean): Promise<void> {
      for await (const event of ledger.read()) if (fits(event)) return;
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
      traced[Symbol.dispose]();
    },
  };
}

const isState = (state: string) => (event: SessionEvent) =>
  event.kind === "STATE_CHANGE" && event.state === state;
const isStatus = (status: string) => (event: SessionEvent) =>
  event.kind === "TOOL_CALL_UPDATE" && event.toolCall.status === status;

const turnSpan = (state: string) => ({
  name: "turn",
  attributes: {
    "dt.task.id": "t",
    "dt.turn": 1,
    "dt.prompt.from": "Alice",
    "dt.turn.state": state,
  },
});
const chatSpan = (more: Readonly<Record<string, number | undefined>> = {}) => ({
  name: "chat scripted",
  in: "turn",
  isOutgoing: true,
  attributes: {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "scripted",
    "gen_ai.usage.input_tokens": undefined,
    "gen_ai.usage.output_tokens": undefined,
    "dt.tool_calls": 0,
    ...more,
  },
});
const toolSpan = (tool: string | undefined, id: string, status: string) => ({
  name: tool === undefined ? "execute_tool" : `execute_tool ${tool}`,
  in: "turn",
  attributes: {
    "gen_ai.operation.name": "execute_tool",
    ...(tool !== undefined && { "gen_ai.tool.name": tool }),
    "gen_ai.tool.call.id": id,
    "dt.tool_call.status": status,
  },
});
const questionSpan = (tool: string, id: string, answer?: string) => ({
  name: "question",
  in: `execute_tool ${tool}`,
  attributes: {
    "gen_ai.tool.call.id": id,
    "gen_ai.tool.name": tool,
    ...(answer !== undefined && { "dt.answer": answer }),
  },
});

test("a turn is traced with its model calls, its tools and its questions", async () => {
  const broken = scriptedTool({
    name: "broken",
    actions: () => [],
    run: () => Promise.reject(new Error("secret")),
  });
  await using stage = await openStage({
    tools: [scriptedTool({ name: "yes" }), scriptedTool({ name: "no" }), broken],
    model: scriptedModel([
      [
        { type: "usage", usage },
        callTool("yes"),
        callTool("missing"),
        callTool("no"),
        callTool("broken"),
      ],
      [say("done")],
    ]),
  });
  await inSpan({ name: "request" }, ROOT_CONTEXT, stage.prompt);
  await stage.until(isState("input-required"));

  await stage.answer("call-1", "proceed_once");
  await stage.answer("call-3", "cancel");
  await stage.until(isState("completed"));
  await stage.session.close();

  expect(stage.spans()).toEqual([
    { name: "request", attributes: {} },
    { ...turnSpan("completed"), in: "request" },
    chatSpan({
      "gen_ai.usage.input_tokens": 3,
      "gen_ai.usage.output_tokens": 4,
      "dt.tool_calls": 4,
    }),
    toolSpan("yes", "call-1", "SUCCEEDED"),
    questionSpan("yes", "call-1", "proceed_once"),
    // There is no such tool. Its name is text that the model wrote, so the span does not contain it.
    { ...toolSpan(undefined, "call-2", "FAILED"), error: "" },
    toolSpan("no", "call-3", "CANCELLED"),
    questionSpan("no", "call-3", "cancel"),
    { ...toolSpan("broken", "call-4", "FAILED"), error: "" },
    chatSpan(),
  ]);
  const ids = new Set(stage.ledger.events.map(({ traceId }) => traceId));
  expect([...ids]).toEqual([expect.stringMatching(/^a+0*1$/)]);
});

test("a failed turn is traced as failed, without the text of the error", async () => {
  await using stage = await openStage({
    model: scriptedModel([
      () => {
        throw new ModelError("secret");
      },
    ]),
  });
  await stage.prompt();
  await stage.until(isState("failed"));
  await stage.session.close();

  expect(stage.spans()).toEqual([
    { ...turnSpan("failed"), error: "" },
    {
      ...chatSpan(),
      error: "ModelError",
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": "scripted" },
    },
  ]);
});

test("cancelling a turn at its question ends all of its spans", async () => {
  await using stage = await openStage({
    tools: [scriptedTool({ name: "asks" })],
    model: scriptedModel([[callTool("asks")]]),
  });
  await stage.prompt();
  await stage.until(isState("input-required"));

  await stage.session.cancel("t");
  await stage.session.close();

  expect(stage.spans()).toEqual([
    turnSpan("canceled"),
    chatSpan({ "dt.tool_calls": 1 }),
    toolSpan("asks", "call-1", "PENDING"),
    questionSpan("asks", "call-1"),
  ]);
});

test("a session that closes while a tool runs traces its turn as interrupted", async () => {
  const tool = scriptedTool({
    name: "hangs",
    actions: () => [],
    run: (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        if (signal.aborted) reject(signal);
        signal.addEventListener("abort", () => reject(signal));
      }),
  });
  await using stage = await openStage({
    tools: [tool],
    model: scriptedModel([[callTool("hangs")]]),
  });
  await stage.prompt();
  await stage.until(isStatus("EXECUTING"));

  await stage.session.close();

  expect(stage.spans()).toEqual([
    turnSpan("interrupted"),
    chatSpan({ "dt.tool_calls": 1 }),
    toolSpan("hangs", "call-1", "EXECUTING"),
  ]);
});

test.each([1, 2])(
  "calls are traced as failed if their credential ends before they run (calls: %i)",
  async (count) => {
    let isAlive = true;
    const ends = scriptedTool({
      name: "ends",
      run: () => {
        isAlive = false;
        return "done";
      },
    });
    const later = scriptedTool({ name: "later" });
    const run = async () => ({ type: "done", effect: { type: "set-mode", mode: "yolo" } }) as const;
    await using stage = await openStage({
      tools: [ends, later],
      commands: () => [{ name: "yolo", description: "allows all", run }],
      isCredentialAlive: () => isAlive,
      model: scriptedModel([[callTool("ends"), ...Array(count).fill(callTool("later"))]]),
    });
    const caller = { ...alice, credential: "c" };
    const command = { messageId: "c", taskId: "c", path: ["yolo"], args: "" };
    await stage.session.runCommand(command, caller);
    await stage.session.prompt({ messageId: "m", taskId: "t", parts }, caller);
    await stage.until((event) => event.taskId === "t" && isState("completed")(event));
    await stage.session.close();

    expect(later.ran).toEqual([]);
    expect(stage.spans().filter(({ name }) => name === "execute_tool later")).toEqual(
      ["call-2", "call-3"].slice(0, count).map((id) => ({
        ...toolSpan("later", id, "FAILED"),
        error: "",
      })),
    );
  },
);
