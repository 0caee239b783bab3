import type { Caller, LedgerEntry, SessionEvent } from "@dt/schema";
import { expect, test } from "vitest";
import type { Command, CommandEffect } from "../commands/command.js";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import type { Model } from "../model/model.js";
import { openDrivenSession } from "../testing/drive-session.js";
import { callTool, say, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";

const alice: Caller = { user: "alice", name: "Alice", role: "approve", credential: "c" };
const fails = () => {
  throw new Error("broke");
};

/**
 * Appends that may begin while a reply is being stored. They start no work, and the ledger stores them after
 * the reply.
 */
const MAY_FOLLOW_REPLY = ["turn-ended", "TEXT_CONTENT"];

/**
 * A session with a slow ledger. `overlaps` lists the appends and model requests that began while an
 * earlier append was pending.
 */
async function openStage(model: Model, effects: Readonly<Record<string, CommandEffect>> = {}) {
  const workspace = await openTempWorkspace();
  const memory = openMemoryLedger();
  const journaled: string[] = [];
  const overlaps: string[] = [];
  let pending: string[] = [];
  let calls = 0;
  const ledger = {
    ...memory,
    async append(entry: LedgerEntry) {
      const name = nameOf(entry);
      journaled.push(name);
      const isAfterReply = MAY_FOLLOW_REPLY.includes(name) && pending.join() === "model-answered";
      if (pending.length > 0 && !isAfterReply)
        overlaps.push(`${name} during ${pending.join(" and ")}`);
      pending = [...pending, name];
      for (let tick = 0; tick < 5; tick += 1) await new Promise(setImmediate);
      pending = pending.slice(1);
      return await memory.append(entry);
    },
  };
  const commands = Object.entries(effects).map(
    ([name, effect]): Command => ({
      name,
      description: name,
      run: async () => ({
        type: "done",
        effect,
        say: name,
        prompt: [{ type: "text", text: name }],
      }),
    }),
  );
  const observedModel: Model = {
    ...model,
    stream(request) {
      if (pending.length > 0) overlaps.push(`the model during ${pending.join(" and ")}`);
      return model.stream(request);
    },
  };
  const session = await openDrivenSession({
    model: observedModel,
    ledger,
    workspace,
    tools: [scriptedTool({ name: "ask" }), scriptedTool({ name: "free", actions: () => [] })],
    commands: () => commands,
    createModel: () => observedModel,
    createId: () => `call-${++calls}`,
  });
  const until = async (fits: (event: SessionEvent) => boolean) => {
    for await (const event of ledger.read()) if (fits(event)) return;
  };
  const untilState = (taskId: string, ...states: readonly string[]) =>
    until((event) => event.taskId === taskId && states.includes(event.state));
  return {
    session,
    overlaps,
    journaled,
    untilState,
    async prompt(taskId: string, steer = false) {
      const parts = [{ type: "text", text: taskId }] as const;
      await session.prompt({ messageId: taskId, taskId, parts }, alice, { steer });
    },
    async command(name: string) {
      const ids = { messageId: `/${name}`, taskId: `/${name}` };
      await session.runCommand({ ...ids, path: [name], args: "" }, alice);
      await untilState(ids.taskId, "completed", "failed");
      await settle();
    },
    answer: () =>
      session.answer(
        { toolCallId: "call-1", selectedOptionId: "proceed_once", modifiedDetails: undefined },
        alice,
      ),
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** Gives the session 20 turns of the event loop, which is enough for its pending work. */
async function settle(): Promise<void> {
  for (let tick = 0; tick < 20; tick += 1) await new Promise(setImmediate);
}

function nameOf({ journal = [], events }: LedgerEntry): string {
  const names = journal.length > 0 ? journal.map(({ type }) => type) : events.map((e) => e.kind);
  return names.join("+");
}

test("each step of a turn is durable before the next step starts [LOG-03]", async () => {
  const model = scriptedModel([[callTool("ask")], [callTool("unknown"), callTool("free")]]);
  await using stage = await openStage(model);
  await stage.prompt("a");
  await stage.untilState("a", "input-required");
  await stage.prompt("b", true);
  await stage.answer();
  await stage.untilState("a", "completed");

  expect(stage.journaled).toEqual([
    ...["prompted+turn-started", "model-answered", "asked+call-changed", "steered"],
    ...["question-answered+call-changed", "call-changed", "steering-delivered"],
    // One call fails; the other is announced, starts and ends.
    ...["model-answered", "call-changed", "call-changed", "call-changed", "call-changed"],
    ...["model-answered", "turn-ended"],
  ]);
  expect(stage.overlaps).toEqual([]);
});

test("each step of a command is durable before the next step starts [LOG-03]", async () => {
  const model = scriptedModel([fails]);
  await using stage = await openStage(model, {
    retry: { type: "retry" },
    forget: { type: "forget-answers", numbers: [1] },
    model: { type: "set-model", name: "m" },
    clear: { type: "clear" },
  });
  await stage.prompt("a");
  await stage.untilState("a", "failed");
  await settle();
  for (const name of ["retry", "forget", "model", "clear"]) await stage.command(name);

  const asked = ["command-prompted", "model-answered", "turn-ended"];
  const begin = "prompted+turn-started";
  expect(stage.journaled).toEqual([
    ...[begin, "model-answered", "turn-ended"],
    ...[begin, "retry-taken", "model-answered", "TEXT_CONTENT", ...asked],
    ...[begin, "forgotten", "TEXT_CONTENT", ...asked],
    ...[begin, "model-set", "TEXT_CONTENT", ...asked],
    ...[begin, "cleared", "TEXT_CONTENT", ...asked],
  ]);
  expect(stage.overlaps).toEqual([]);
});

test("a summary is durable before the conversation continues with it [LOG-03]", async () => {
  const model: Model = {
    name: "m",
    async *stream({ purpose }) {
      if (purpose !== "summary") return;
      yield { type: "notice", text: "again" };
      yield say("all of it");
    },
  };
  await using stage = await openStage(model, { compact: { type: "compact" } });
  for (const taskId of ["a", "b", "c"]) {
    await stage.prompt(taskId);
    await stage.untilState(taskId, "completed");
    await settle();
  }
  const before = stage.journaled.length;

  await stage.command("compact");

  expect(stage.journaled.slice(before)).toEqual([
    ...["prompted+turn-started", "CONSOLE_LOG", "compacted", "TEXT_CONTENT"],
    ...["command-prompted", "model-answered", "turn-ended"],
  ]);
  expect(stage.overlaps).toEqual([]);
});
