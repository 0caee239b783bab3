import { once } from "node:events";
import { type Caller, type SessionEvent, textOf } from "@dt/schema";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Command } from "../commands/command.js";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import type { HistoryItem } from "../model/history.js";
import type { ModelRequest } from "../model/model.js";
import type { ModelPart } from "../model/model-part.js";
import { openDrivenSession } from "../testing/drive-session.js";
import { callTool, say } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";

const alice: Caller = { user: "alice", name: "Alice", role: "approve" };
const compress: Command = {
  name: "compress",
  description: "compacts",
  run: async () => ({ type: "done", effect: { type: "compact" } }),
};

/**
 * Opens a session whose model has a context of 100 tokens. The number at the end of a prompt is the
 * number of tool calls that the model requests before it replies `ok`.
 */
async function openStage(options: {
  readonly used: number;
  readonly summarise: (request: ModelRequest) => AsyncIterable<ModelPart> | Iterable<ModelPart>;
}) {
  const workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  const summaries: ModelRequest[] = [];
  const session = await openDrivenSession({
    workspace,
    ledger,
    tools: [scriptedTool({ name: "look", actions: () => [] })],
    commands: () => [compress],
    model: {
      name: "small",
      contextTokens: 100,
      async *stream(request) {
        if (request.purpose === "summary") {
          summaries.push(request);
          yield* options.summarise(request);
          return;
        }
        const usage = { outputTokens: 5, thoughtTokens: 0, cachedTokens: 0 };
        yield { type: "usage", usage: { inputTokens: options.used - 5, ...usage } };
        const turn = request.history.slice(request.history.findLastIndex(isPrompt));
        const wanted = Number(/\d+$/.exec(brief(turn[0]))?.[0] ?? 0);
        yield turn.length < wanted * 2 ? callTool("look") : say("ok");
      },
    },
  });
  let messages = 0;
  const untilEnd = async (taskId: string) => {
    for await (const event of ledger.read()) if (isEndOf(taskId, event)) return event;
    throw new Error("the ledger ended");
  };
  return {
    ledger,
    session,
    summaries,
    async prompt(text: string) {
      messages += 1;
      const ids = { messageId: `m${messages}`, taskId: `t${messages}` };
      await session.prompt({ ...ids, parts: [{ type: "text", text }] }, alice);
      return ids.taskId;
    },
    async run(...texts: readonly string[]) {
      for (const text of texts) await untilEnd(await this.prompt(text));
    },
    async compress() {
      const ids = { messageId: "c", taskId: "c" };
      await session.runCommand({ ...ids, path: ["compress"], args: "" }, alice);
      return await untilEnd("c");
    },
    history: () => session.snapshot().history.map(brief),
    logs: () => ledger.events.flatMap((event) => (event.kind === "CONSOLE_LOG" ? [event.log] : [])),
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const isPrompt = (item: HistoryItem) => item.role === "user";
const isEndOf = (taskId: string, event: SessionEvent) =>
  event.taskId === taskId &&
  event.kind === "STATE_CHANGE" &&
  ["completed", "failed", "canceled"].includes(event.state);

function brief(item: HistoryItem | undefined): string {
  if (item?.role === "user") return textOf(item.parts);
  if (item?.role !== "model") return "result";
  return item.parts.map((part) => (part.type === "text" ? part.text : "call")).join(" ");
}

const summary = "This is a summary of our conversation so far:\nall of it";
const reply = "I will go on from there.";

test("a conversation with six earlier items is compacted if the context is 80 % full", async () => {
  await using stage = await openStage({
    used: 80,
    summarise: () => [say(" all "), say("of it\n")],
  });

  await stage.run("one", "two", "three");
  expect(stage.history()).toEqual(["one", "ok", "two", "ok", "three", "ok"]);
  await stage.run("four");

  expect(stage.history()).toEqual([summary, reply, "four", "ok"]);
  const [{ history, ...request } = { history: [] }] = stage.summaries;
  expect(request).toEqual({ tools: [], purpose: "summary", signal: expect.any(AbortSignal) });
  expect(history.map(brief)).toEqual([
    ...["one", "ok", "two", "ok", "three", "ok"],
    "Summarise the conversation so far for yourself, so that you can go on without it. " +
      "Keep what the user wants, what was decided and why, which files were read and changed and how, " +
      "what was refused, and what is still to do. Write nothing else.",
  ]);
  expect(stage.logs()).toEqual([
    {
      type: "info",
      content: "the conversation was compacted; 6 earlier items became a summary",
    },
  ]);
  expect(stage.session.snapshot().contextTokens).toBe(80);

  // The summary and the reply to it do not count as earlier items.
  await stage.run("five", "six");
  expect(stage.summaries).toHaveLength(1);
  await stage.run("seven");
  expect(stage.summaries).toHaveLength(2);
});

test("a conversation is not compacted if the context is less than 80 % full", async () => {
  await using stage = await openStage({ used: 79, summarise: () => [say("all")] });

  await stage.run("one", "two", "three", "four", "five");

  expect(stage.summaries).toEqual([]);
});

test("a command that compacts keeps the last prompt and the recent items", async () => {
  await using stage = await openStage({ used: 0, summarise: () => [say("all of it")] });

  await stage.run("look 1", "look 3");
  expect(await stage.compress()).toMatchObject({ state: "completed" });

  const callItems = ["call", "result", "call", "result", "call", "result", "ok"];
  expect(stage.history()).toEqual([summary, reply, "look 3", ...callItems]);
  expect(stage.logs()).toMatchObject([
    { content: "the conversation was compacted; 5 earlier items became a summary" },
  ]);
});

test("a command can compact a conversation of two turns", async () => {
  await using stage = await openStage({ used: 0, summarise: () => [say("all of it")] });

  await stage.run("one", "two");
  expect(await stage.compress()).toMatchObject({ state: "completed" });

  expect(stage.history()).toEqual([summary, reply, "two", "ok"]);
});

test("a command cannot compact a conversation of one turn", async () => {
  await using stage = await openStage({ used: 0, summarise: () => [say("all of it")] });

  await stage.run("look 3");
  expect(await stage.compress()).toMatchObject({
    state: "failed",
    error: "there is nothing to compact yet",
  });
  expect(stage.summaries).toEqual([]);
});

test("an empty summary leaves the conversation unchanged", async () => {
  await using stage = await openStage({ used: 80, summarise: () => [say(" \n")] });

  await stage.run("one", "two", "three", "four");

  expect(stage.summaries).toHaveLength(1);
  expect(stage.logs()).toEqual([]);
  expect(stage.history()).toEqual(["one", "ok", "two", "ok", "three", "ok", "four", "ok"]);
});

test("a cancel ends the turn although the model ignores it and goes on with the summary", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  await using stage = await openStage({
    used: 80,
    async *summarise() {
      yield { type: "notice", text: "waits" };
      await new Promise(() => {});
    },
  });
  await stage.run("one", "two", "three");
  const taskId = await stage.prompt("four");
  for await (const event of stage.ledger.read()) if (event.kind === "CONSOLE_LOG") break;

  const cancelled = stage.session.cancel(taskId);
  await vi.advanceTimersByTimeAsync(10_000);
  await cancelled;

  expect(stage.history()).toEqual(["one", "ok", "two", "ok", "three", "ok", "four"]);
});

test("cancelling a turn during the summary leaves the conversation unchanged", async () => {
  await using stage = await openStage({
    used: 80,
    async *summarise({ signal }) {
      yield { type: "notice", text: "waits" };
      yield say("half of it");
      if (!signal.aborted) await once(signal, "abort");
    },
  });
  await stage.run("one", "two", "three");
  const taskId = await stage.prompt("four");
  for await (const event of stage.ledger.read()) if (event.kind === "CONSOLE_LOG") break;

  await stage.session.cancel(taskId);

  expect(stage.history()).toEqual(["one", "ok", "two", "ok", "three", "ok", "four"]);
  expect(stage.logs()).toEqual([{ type: "warn", content: "waits" }]);
});
