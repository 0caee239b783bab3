import type { Caller, SessionEvent, ToolCall } from "@dt/schema";
import { afterEach, expect, test, vi } from "vitest";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import { type ModelSessionOptions, openDrivenSession } from "../testing/drive-session.js";
import { say, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import type { Prelude } from "./turn-scope.js";

const alice: Caller = { user: "alice", name: "Alice", role: "approve" };
const parts = [{ type: "text", text: "go" }] as const;

afterEach(() => {
  vi.useRealTimers();
});

async function openStage(options: Partial<ModelSessionOptions> = {}) {
  const workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  const base = {
    model: scriptedModel([[say("hello")]]),
    tools: [],
    workspace,
    ledger,
    ...options,
  };
  let session = await openDrivenSession(base);
  return {
    ledger,
    get session() {
      return session;
    },
    async reopen() {
      await session.close();
      session = await openDrivenSession({ ...base, journal: [...ledger.journal] });
    },
    prompt: () => session.prompt({ messageId: "m", taskId: "t", parts }, alice),
    answer: (toolCallId: string) =>
      session.answer(
        { toolCallId, selectedOptionId: "proceed_once", modifiedDetails: undefined },
        alice,
      ),
    async until(state: string): Promise<SessionEvent> {
      for await (const event of ledger.read())
        if (event.kind === "STATE_CHANGE" && event.state === state) return event;
      throw new Error("the ledger ended");
    },
    log: () => ledger.events.map(brief),
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

function brief(event: SessionEvent): string {
  switch (event.kind) {
    case "STATE_CHANGE":
      return event.state;
    case "TOOL_CALL_UPDATE":
      return `${event.toolCall.toolName} ${event.toolCall.status}`;
    case "TEXT_CONTENT":
      return event.text;
    case "CONSOLE_LOG":
      return `${event.log.type}: ${event.log.content}`;
    default:
      return event.kind;
  }
}

/** Creates a prelude that requests one call of `ask` until it has received the result. */
function createPrelude(): Prelude & { readonly results: readonly string[][] } {
  const results: string[][] = [];
  return {
    results,
    calls: () => (results.length === 0 ? [{ toolName: "ask", input: { x: 1 } }] : []),
    settled: (calls: readonly ToolCall[]) =>
      results.push(calls.map(({ toolName, status }) => `${toolName} ${status}`)),
  };
}

const asked = ["USER_PROMPT", "working", "TITLE", "ask PENDING", "input-required"];

test("a prelude asks before the first request to the model, and the model does not see its call", async () => {
  const prelude = createPrelude();
  await using stage = await openStage({ prelude, tools: [scriptedTool({ name: "ask" })] });

  await stage.prompt();
  const { waiting = [] } = (await stage.until("input-required")) as { waiting?: ToolCall[] };
  expect(waiting).toMatchObject([{ toolName: "ask", inputParameters: { x: 1 } }]);
  await stage.answer(waiting[0]?.toolCallId ?? "");
  await stage.until("completed");

  expect(prelude.results).toEqual([["ask SUCCEEDED"]]);
  expect(stage.log()).toEqual([...asked, "ask EXECUTING", "ask SUCCEEDED", "hello", "completed"]);
  expect(stage.session.snapshot().history).toEqual([
    { role: "user", parts },
    { role: "model", parts: [say("hello")] },
  ]);
});

test("a prelude continues after a restart and gets its result once", async () => {
  const prelude = createPrelude();
  await using stage = await openStage({ prelude, tools: [scriptedTool({ name: "ask" })] });
  await stage.prompt();
  const { waiting = [] } = (await stage.until("input-required")) as { waiting?: ToolCall[] };

  await stage.reopen();
  await stage.answer(waiting[0]?.toolCallId ?? "");
  await stage.until("completed");

  expect(prelude.results).toEqual([["ask SUCCEEDED"]]);
  expect(stage.log()).toEqual([...asked, "ask EXECUTING", "ask SUCCEEDED", "hello", "completed"]);
});

test("cancelling a prelude cancels its question, and the model gets no request", async () => {
  const prelude = createPrelude();
  await using stage = await openStage({ prelude, tools: [scriptedTool({ name: "ask" })] });
  await stage.prompt();
  await stage.until("input-required");

  await stage.session.cancel("t");

  expect(prelude.results).toEqual([]);
  expect(stage.log()).toEqual([...asked, "ask CANCELLED", "canceled"]);
});

test("a turn logs after a second that it waits for its tools, and continues once the tools are ready", async () => {
  let arrive = () => {};
  const ready = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await using stage = await openStage({ ready });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  await stage.prompt();
  await new Promise(setImmediate);

  await vi.advanceTimersByTimeAsync(999);
  expect(stage.log()).toEqual(["USER_PROMPT", "working", "TITLE"]);
  await vi.advanceTimersByTimeAsync(1);
  arrive();
  await stage.until("completed");

  const notice = "info: waiting for MCP servers that have not answered yet";
  expect(stage.log()).toEqual(["USER_PROMPT", "working", "TITLE", notice, "hello", "completed"]);
});

test("a turn whose tools are available at once completes and leaves no timer behind", async () => {
  await using stage = await openStage({ ready: Promise.resolve() });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

  await stage.prompt();
  await stage.until("completed");

  expect(vi.getTimerCount()).toBe(0);
});

test("a turn that is cancelled while it waits for tools does not run its prelude", async () => {
  const prelude = createPrelude();
  const ready = new Promise<void>(() => {});
  await using stage = await openStage({ ready, prelude, tools: [scriptedTool({ name: "ask" })] });
  await stage.prompt();
  await new Promise(setImmediate);

  await stage.session.cancel("t");

  expect(stage.log()).toEqual(["USER_PROMPT", "working", "TITLE", "canceled"]);
});

test("a turn whose tools cannot be loaded fails with the reason", async () => {
  const ready = Promise.reject(new Error("no tools"));
  ready.catch(() => {});
  await using stage = await openStage({ ready });

  await stage.prompt();

  expect(await stage.until("failed")).toMatchObject({ error: "no tools" });
});
