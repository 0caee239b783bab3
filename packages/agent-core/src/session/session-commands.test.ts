import { type Caller, createEventBus, type SessionEvent } from "@dt/schema";
import { expect, test } from "vitest";
import type { Command } from "../commands/command.js";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import type { Model } from "../model/model.js";
import { createOfflineModel } from "../model/offline/create-offline-model.js";
import { type ModelSessionOptions, openDrivenSession } from "../testing/drive-session.js";
import { callTool, say, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";

const alice: Caller = {
  user: "alice",
  name: "Alice",
  role: "approve",
  credential: "alice's socket",
};

/** A tool whose question shows a shell command if its input has `kind: "shell"`, else a description. */
const touch = scriptedTool({
  name: "touch",
  actions: ({ what }) => [{ type: "other", name: "touch", target: String(what) }],
  details: ({ kind, what }) =>
    kind === "shell"
      ? { $case: "executeDetails", value: { command: String(what) } }
      : { $case: "genericDetails", value: { description: "touch" } },
  run: ({ what }) => `touched ${what}`,
});

async function openStage(options: Partial<ModelSessionOptions> = {}) {
  const workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  const base = {
    model: createOfflineModel(),
    tools: [touch],
    workspace,
    ledger,
    ...options,
  };
  const session = await openDrivenSession(base);
  let messages = 0;
  const nextId = () => `m${++messages}`;
  return {
    ledger,
    session,
    reopen: () => openDrivenSession({ ...base, journal: [...ledger.journal] }),
    prompt: (text: string, steer = false) =>
      session.prompt(
        { messageId: nextId(), taskId: "task", parts: [{ type: "text", text }] },
        alice,
        { steer },
      ),
    command: (path: readonly string[], args = "") =>
      session.runCommand({ messageId: nextId(), taskId: `command-${messages}`, path, args }, alice),
    async until(fits: (event: SessionEvent) => boolean, count = 1): Promise<SessionEvent> {
      let seen = 0;
      for await (const event of ledger.read()) {
        if (fits(event)) seen += 1;
        if (seen === count) return event;
      }
      throw new Error("the ledger ended");
    },
    texts: () =>
      ledger.events.flatMap((event) => (event.kind === "TEXT_CONTENT" ? [event.text] : [])),
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const isEnd = (event: SessionEvent) =>
  event.kind === "STATE_CHANGE" && ["completed", "failed", "canceled"].includes(event.state);
const isAsking = (event: SessionEvent) =>
  event.kind === "STATE_CHANGE" && event.waiting !== undefined;

function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const commands: readonly Command[] = [
  {
    name: "hello",
    description: "greets",
    run: async ({ args }) => ({ type: "done", say: `hello ${args}` }),
  },
  {
    name: "memory",
    description: "what is remembered",
    subCommands: [
      {
        name: "add",
        description: "adds a fact",
        arguments: [{ name: "fact", description: "what to remember", isRequired: true }],
        run: async ({ args }) => ({ type: "done", say: `noted ${args}` }),
      },
    ],
  },
  {
    name: "deploy",
    description: "asks twice",
    asksFirst: () => true,
    run: async ({ args }) => ({
      type: "ask",
      calls: [{ toolName: "touch", input: { what: args, kind: "shell" } }],
      next: async (first) => ({
        type: "ask",
        calls: [{ toolName: "touch", input: { what: `${args} again` } }],
        next: async (second) => ({
          type: "done",
          say: [...first, ...second].map((call) => call.status).join(" "),
        }),
      }),
    }),
  },
  {
    name: "ask",
    description: "asks the model",
    run: async ({ args }) => ({ type: "done", prompt: [{ type: "text", text: `say ${args}` }] }),
  },
  {
    name: "compress",
    description: "compacts",
    run: async () => ({ type: "done", effect: { type: "compact" } }),
  },
  {
    name: "retry",
    description: "retries",
    run: async () => ({ type: "done", effect: { type: "retry" } }),
  },
  {
    name: "mode",
    description: "sets the mode",
    run: async () => ({ type: "done", effect: { type: "set-mode", mode: "yolo" } }),
  },
];

test("a command runs as its own turn and is not part of the conversation [RFC-23]", async () => {
  await using stage = await openStage({ commands: () => commands });

  const begun = await stage.command(["hello"], "world");
  await stage.until(isEnd);

  expect(begun).toMatchObject({ status: "STARTED", ticket: { taskId: "command-1" } });
  expect(stage.texts()).toEqual(["hello world"]);
  expect(stage.session.snapshot().history).toEqual([]);
});

test("an unknown command, or a command without its argument, is refused with a reason [RFC-24]", async () => {
  await using stage = await openStage({ commands: () => commands });

  expect(await stage.command(["nope"])).toEqual({
    status: "FAILED_TO_START",
    message: "there is no command /nope; /help lists the commands",
  });
  expect(await stage.command(["memory", "add"])).toMatchObject({
    status: "FAILED_TO_START",
    message: "/memory add needs fact: what to remember",
  });
  expect(stage.ledger.events).toEqual([]);
});

test("a command group prints its commands, and the session lists them with their arguments [RFC-22]", async () => {
  await using stage = await openStage({ commands: () => commands });

  await stage.command(["memory"]);
  await stage.until(isEnd);

  expect(stage.texts()).toEqual(["/memory: what is remembered\n  /memory add: adds a fact"]);
  expect((await stage.session.commands())[1]).toEqual({
    name: "memory",
    description: "what is remembered",
    arguments: [],
    subCommands: [
      {
        name: "add",
        description: "adds a fact",
        arguments: [{ name: "fact", description: "what to remember", isRequired: true }],
        subCommands: [],
      },
    ],
  });
});

test("a command with two questions survives a restart between them and repeats nothing [RFC-23, LOG-03]", async () => {
  await using stage = await openStage({ commands: () => commands });
  const begun = await stage.command(["deploy"], "now");
  const answer = async (session: typeof stage.session) => {
    const call = session.snapshot().turn?.calls[0];
    await session.answer(
      {
        toolCallId: call!.toolCall.toolCallId,
        selectedOptionId: "proceed_once",
        modifiedDetails: undefined,
      },
      alice,
    );
  };
  await answer(stage.session);
  await stage.until(isAsking, 2);
  await stage.session.close();

  const restored = await stage.reopen();
  await answer(restored);
  await stage.until(isEnd);
  await restored.close();

  expect(begun).toMatchObject({ status: "AWAITING_SHELL_CONFIRMATION", message: "touch" });
  expect(stage.texts()).toEqual(["SUCCEEDED SUCCEEDED"]);
  const executed = stage.ledger.events.filter(
    (event) => event.kind === "TOOL_CALL_UPDATE" && event.toolCall.status === "EXECUTING",
  );
  expect(executed).toHaveLength(2);
});

test("a slow command is reported as started before it ends [RFC-23]", async () => {
  const finish = createGate();
  const slow: Command = {
    name: "slow",
    description: "takes its time",
    run: async () => {
      await finish.opened;
      return { type: "done", say: "finished" };
    },
  };
  await using stage = await openStage({ commands: () => [slow] });

  const begun = await stage.command(["slow"]);
  finish.open();
  await stage.until(isEnd);

  expect(begun).toMatchObject({ status: "STARTED" });
  expect(stage.texts()).toEqual(["finished"]);
});

test("the reply to a command waits for the command's first question, even if the question comes late [RFC-23]", async () => {
  const planned = createGate();
  const slowTouch = {
    ...touch,
    plan: async (...args: Parameters<typeof touch.plan>) => {
      await planned.opened;
      return await touch.plan(...args);
    },
  };
  await using stage = await openStage({ commands: () => commands, tools: [slowTouch] });

  const beginning = stage.command(["deploy"], "now");
  await stage.until((event) => event.kind === "STATE_CHANGE" && event.state === "working");
  planned.open();

  expect(await beginning).toMatchObject({ status: "AWAITING_SHELL_CONFIRMATION" });
});

test("a command that has not asked yet is reported as started when the session closes", async () => {
  const planned = createGate();
  const stuckTouch = {
    ...touch,
    plan: async (...args: Parameters<typeof touch.plan>) => {
      await planned.opened;
      return await touch.plan(...args);
    },
  };
  await using stage = await openStage({ commands: () => commands, tools: [stuckTouch] });
  const beginning = stage.command(["deploy"], "now");
  await stage.until((event) => event.kind === "STATE_CHANGE" && event.state === "working");

  const closed = stage.session.close();

  expect(await beginning).toMatchObject({
    status: "STARTED",
    ticket: { turn: expect.any(Number) },
  });
  planned.open();
  await closed;
});

test("a command's prompt is sent to the model in the same turn", async () => {
  await using stage = await openStage({ commands: () => commands });

  await stage.command(["ask"], "yes");
  await stage.until(isEnd);

  expect(stage.texts()).toEqual(["yes"]);
  expect(stage.session.snapshot().history.map(({ role }) => role)).toEqual(["user", "model"]);
});

test("a mode that a command sets applies to later turns [CLI-18]", async () => {
  await using stage = await openStage({
    commands: () => commands,
    model: scriptedModel([[callTool("touch", { what: "a" })], []]),
  });

  await stage.command(["mode"]);
  await stage.until(isEnd);
  await stage.prompt("go");
  await stage.until(isEnd, 2);

  expect(stage.ledger.events.some(isAsking)).toBe(false);
});

test("a retry continues from the last finished step and repeats no call [SRV-22]", async () => {
  let attempts = 0;
  const seen: number[] = [];
  const model: Model = {
    name: "flaky",
    async *stream({ history }) {
      attempts += 1;
      seen.push(history.length);
      if (attempts === 1) yield callTool("touch", { what: "once" });
      if (attempts === 2) {
        yield say("half an ans");
        throw new Error("gone");
      }
      if (attempts === 3) yield say("whole");
    },
  };
  await using stage = await openStage({ model, mode: "yolo", commands: () => commands });
  await stage.prompt("go");
  const failed = await stage.until(isEnd);

  const ticket = await stage.session.retry();
  await stage.until(isEnd, 2);

  expect(failed).toMatchObject({ state: "failed", error: "gone" });
  expect(ticket).toMatchObject({ taskId: "task", turn: 2 });
  // The retried request contains the same conversation as the request that failed.
  expect(seen).toEqual([1, 3, 3]);
  expect(stage.texts()).toEqual(["half an ans", "whole"]);
  expect(await stage.session.retry()).toBeUndefined();
});

test("steering joins the running turn at its next step", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const model: Model = {
    name: "held",
    async *stream({ history }) {
      const users = history.filter((item) => item.role === "user").length;
      yield say(`saw ${users}`);
      if (users === 1) await held;
    },
  };
  await using stage = await openStage({ model });
  await stage.prompt("first");
  await stage.until((event) => event.kind === "TEXT_CONTENT");

  const ticket = await stage.prompt("and this", true);
  release();
  await stage.until(isEnd);

  expect(ticket.turn).toBe(1);
  expect(stage.texts()).toEqual(["saw 1", "saw 2"]);
  expect(stage.ledger.events.filter(isEnd)).toHaveLength(1);
});

test("a queued prompt can be withdrawn, and its task ends canceled", async () => {
  await using stage = await openStage({
    model: scriptedModel([[callTool("touch", { what: "a" })]]),
  });
  await stage.prompt("go");
  await stage.until(isAsking);
  const later = {
    messageId: "later",
    taskId: "later",
    parts: [{ type: "text", text: "x" }],
  } as const;
  await stage.session.prompt(later, alice);

  expect(await stage.session.withdraw("later")).toBe(true);
  expect(await stage.session.withdraw("later")).toBe(false);
  const states = stage.ledger.events
    .filter((event) => event.taskId === "later")
    .map(({ state }) => state);
  expect(states).toEqual(["submitted", "submitted", "working", "canceled"]);
});

test("a turn that reaches its step limit fails with an error that contains the limit", async () => {
  const endless = (): Model => ({
    name: "endless",
    async *stream({ history }) {
      yield callTool("touch", { what: history.length });
    },
  });
  await using stage = await openStage({ model: endless(), mode: "yolo", limits: { maxSteps: 3 } });

  await stage.prompt("go");

  expect(await stage.until(isEnd)).toMatchObject({
    state: "failed",
    error: "the turn was stopped because it reached its limit of 3 steps",
  });
});

test("a loop of identical calls is detected and stopped", async () => {
  const model: Model = {
    name: "stuck",
    async *stream() {
      yield callTool("touch", { what: "same" });
    },
  };
  await using stage = await openStage({ model, mode: "yolo" });

  await stage.prompt("go");

  expect(await stage.until(isEnd)).toMatchObject({
    state: "failed",
    error: "the turn was stopped because the model asked for the same calls 5 times in a row",
  });
});

test("the conversation is compacted before the context is full, and on request", async () => {
  const asked: (string | undefined)[] = [];
  const model: Model = {
    name: "small",
    contextTokens: 100,
    async *stream({ purpose, history }) {
      asked.push(purpose);
      if (purpose === "summary") {
        yield say(`summary of ${history.length - 1}`);
        return;
      }
      yield {
        type: "usage",
        usage: { inputTokens: 90, outputTokens: 5, thoughtTokens: 0, cachedTokens: 0 },
      };
      yield say("ok");
    },
  };
  await using stage = await openStage({ model, commands: () => commands });

  for (const turn of [1, 2, 3, 4, 5]) {
    await stage.prompt(`prompt ${turn}`);
    await stage.until(isEnd, turn);
  }
  await stage.command(["compress"]);
  await stage.until(isEnd, 6);

  expect(asked.map((purpose) => purpose ?? "answer").join(" ")).toBe(
    "answer answer answer summary answer answer summary",
  );
  const notes = stage.ledger.events.flatMap((event) =>
    event.kind === "CONSOLE_LOG" ? [event.log.content] : [],
  );
  expect(notes).toEqual([
    "the conversation was compacted; 6 earlier items became a summary",
    "the conversation was compacted; 4 earlier items became a summary",
  ]);
  expect(stage.session.snapshot().history[0]).toMatchObject({
    parts: [{ text: expect.stringContaining("summary of 4") }],
  });
});

test("a long turn is compacted several times and keeps its prompt word for word", async () => {
  let summaries = 0;
  const model: Model = {
    name: "small",
    contextTokens: 100,
    async *stream({ purpose, history }) {
      if (purpose === "summary") {
        summaries += 1;
        yield say("what was done");
        return;
      }
      yield {
        type: "usage",
        usage: { inputTokens: 90, outputTokens: 5, thoughtTokens: 0, cachedTokens: 0 },
      };
      const steps = stage.session.snapshot().totals.steps;
      if (steps < 20) yield callTool("touch", { what: steps });
      else yield say(JSON.stringify(history.filter((item) => item.role === "user")));
    },
  };
  await using stage = await openStage({ model, mode: "yolo" });

  await stage.prompt("the prompt itself");
  await stage.until(isEnd);

  expect(summaries).toBeGreaterThan(1);
  expect(summaries).toBeLessThan(8);
  expect(stage.session.snapshot().history.length).toBeLessThan(20);
  expect(stage.texts().at(-1)).toContain("the prompt itself");
});

test("the state change that ends a turn contains the turn's token usage", async () => {
  const usage = { inputTokens: 3, outputTokens: 4, thoughtTokens: 5, cachedTokens: 1 };
  await using stage = await openStage({
    mode: "yolo",
    model: scriptedModel([
      [{ type: "usage", usage }, callTool("touch", { what: "a" })],
      [{ type: "usage", usage }],
    ]),
  });

  await stage.prompt("go");

  expect(await stage.until(isEnd)).toMatchObject({
    usage: { inputTokens: 6, outputTokens: 8, thoughtTokens: 10, cachedTokens: 2 },
  });
});

test("a call with malformed input fails, and the model sees the error [RFC-13]", async () => {
  await using stage = await openStage({
    mode: "yolo",
    model: scriptedModel([
      [{ type: "tool-request", toolName: "touch", input: {}, inputError: "the input is not JSON" }],
      [say("sorry")],
    ]),
  });

  await stage.prompt("go");
  await stage.until(isEnd);

  const failed = stage.ledger.events.find(
    (event) => event.kind === "TOOL_CALL_UPDATE" && event.toolCall.status === "FAILED",
  );
  expect(failed).toMatchObject({
    toolCall: { result: { value: { type: "invalid_input", message: "the input is not JSON" } } },
  });
  expect(stage.session.snapshot().history.find(({ role }) => role === "tool")).toMatchObject({
    results: [{ isError: true, text: expect.stringContaining("the input is not JSON") }],
  });
});

test("a refused target cannot be touched by another call in the same turn", async () => {
  await using stage = await openStage({
    model: scriptedModel([
      [callTool("touch", { what: "x" })],
      [callTool("touch", { what: "x", other: true })],
      [say("done")],
    ]),
  });
  await stage.prompt("go");
  await stage.until(isAsking);
  const [call] = stage.session.snapshot().turn?.calls ?? [];
  await stage.session.answer(
    {
      toolCallId: call!.toolCall.toolCallId,
      selectedOptionId: "cancel",
      modifiedDetails: undefined,
    },
    alice,
  );
  await stage.until(isEnd);

  expect(stage.ledger.events.filter(isAsking)).toHaveLength(1);
  const statuses = stage.ledger.events.flatMap((event) =>
    event.kind === "TOOL_CALL_UPDATE" ? [event.toolCall.status] : [],
  );
  expect(statuses).toEqual(["PENDING", "CANCELLED", "PENDING", "FAILED"]);
});

test("the event bus delivers events by kind until the handler is removed [SRV-26]", async () => {
  await using stage = await openStage();
  const bus = createEventBus();
  stage.ledger.subscribe(bus.emit);
  const received: string[] = [];
  const onText = (event: { text: string }) => void received.push(event.text);
  bus.on("TEXT_CONTENT", onText);

  await stage.prompt("say one");
  await stage.until(isEnd);
  bus.off("TEXT_CONTENT", onText);
  await stage.prompt("say two");
  await stage.until(isEnd, 2);

  expect(received).toEqual(["one"]);
});

test("read-only calls of a step run in parallel", async () => {
  const meeting = { arrived: 0, open: () => {} };
  const opened = new Promise<void>((resolve) => {
    meeting.open = resolve;
  });
  // Each call waits for the other, so running them in sequence would never end.
  const look = scriptedTool({
    name: "look",
    isReadOnly: true,
    actions: () => [],
    run: async () => {
      meeting.arrived += 1;
      if (meeting.arrived === 2) meeting.open();
      await opened;
      return "seen";
    },
  });
  await using stage = await openStage({
    tools: [look],
    model: scriptedModel([[callTool("look", { n: 1 }), callTool("look", { n: 2 })], [say("done")]]),
  });

  await stage.prompt("go");
  await stage.until(isEnd);

  expect(look.ran).toHaveLength(2);
  expect(stage.texts()).toEqual(["done"]);
});

test("the model gets the results of approved and refused calls of a step [RFC-20]", async () => {
  const write = scriptedTool({ name: "write" });
  await using stage = await openStage({
    tools: [write],
    model: scriptedModel([
      [callTool("write", { n: 1 }), callTool("write", { n: 2 })],
      [say("done")],
    ]),
  });
  await stage.prompt("go");
  await stage.until(isAsking);
  const { calls } = stage.session.snapshot().turn!;
  const [first, second] = calls.map(({ toolCall }) => toolCall);
  const answer = (toolCallId: string, selectedOptionId: string) =>
    stage.session.answer({ toolCallId, selectedOptionId, modifiedDetails: undefined }, alice);

  await answer(first!.toolCallId, "cancel");
  await answer(second!.toolCallId, "proceed_once");
  await stage.until(isEnd);

  expect(write.ran).toEqual([second!.toolCallId]);
  const toolItem = stage.session.snapshot().history.find((item) => item.role === "tool");
  expect(toolItem?.role === "tool" && toolItem.results.map(({ isError }) => isError)).toEqual([
    true,
    false,
  ]);
});

test("live output is shown while a tool runs and is not logged [RFC-12]", async () => {
  const print = scriptedTool({
    name: "print",
    actions: () => [],
    run: (_input, run) => {
      run.print("half");
      run.print("half and more");
      return "whole";
    },
  });
  await using stage = await openStage({
    tools: [print],
    model: scriptedModel([[callTool("print")], []]),
  });
  const live: (string | undefined)[] = [];
  const bus = createEventBus();
  stage.ledger.subscribe(bus.emit);
  bus.on("TOOL_CALL_UPDATE", ({ toolCall, cursor }) => {
    if (cursor === undefined) live.push(toolCall.liveContent);
  });

  await stage.prompt("go");
  await stage.until(isEnd);

  expect(live).toEqual(["half", "half and more"]);
  const last = stage.ledger.events.findLast((event) => event.kind === "TOOL_CALL_UPDATE");
  expect(last).toMatchObject({ toolCall: { result: { value: { result: { value: "whole" } } } } });
  expect(last?.kind === "TOOL_CALL_UPDATE" && last.toolCall.liveContent).toBeUndefined();
});

test("a prompt's own mode does not apply to the next prompt of the session [SRV-09]", async () => {
  const write = scriptedTool({ name: "write" });
  await using stage = await openStage({
    tools: [write],
    model: scriptedModel([[callTool("write")], [], [callTool("write")]]),
  });
  const parts = [{ type: "text", text: "go" }] as const;

  await stage.session.prompt({ messageId: "a", taskId: "free", parts, mode: "yolo" }, alice);
  await stage.until(isEnd);
  await stage.session.prompt({ messageId: "b", taskId: "asking", parts }, alice);
  const asked = await stage.until(isAsking);

  expect(asked.taskId).toBe("asking");
  expect(write.ran).toHaveLength(1);
});

test("a user's mode does not apply to another user's prompts [CLI-18]", async () => {
  const write = scriptedTool({ name: "write" });
  const bob: Caller = { user: "bob", name: "Bob", role: "approve" };
  await using stage = await openStage({
    tools: [write],
    commands: () => commands,
    model: scriptedModel([[callTool("write")], [], [callTool("write")]]),
  });
  const parts = [{ type: "text", text: "go" }] as const;

  await stage.command(["mode"]);
  await stage.until(isEnd);
  await stage.session.prompt({ messageId: "a", taskId: "live", parts, taskMode: "yolo" }, alice);
  await stage.until(isEnd, 2);
  await stage.session.prompt({ messageId: "b", taskId: "live", parts }, bob);
  await stage.until(isAsking);

  expect(write.ran).toHaveLength(1);
});

test("a user cannot steer another user's turn; the prompt is queued [CLI-18]", async () => {
  const write = scriptedTool({ name: "write" });
  const bob: Caller = { user: "bob", name: "Bob", role: "approve" };
  await using stage = await openStage({
    tools: [write],
    model: scriptedModel([[callTool("write")]]),
  });
  await stage.prompt("go");
  await stage.until(isAsking);
  const parts = [{ type: "text", text: "also" }] as const;

  const ticket = await stage.session.prompt({ messageId: "b", taskId: "t", parts }, bob, {
    steer: true,
  });

  expect(ticket.turn).toBe(2);
  expect(stage.session.snapshot().queue).toHaveLength(1);
});

test("a refused target cannot be touched by another call of the same step", async () => {
  const actions = () => [{ type: "edit" as const, path: "/w/a.txt", isInside: true }];
  const remove = scriptedTool({
    name: "remove",
    actions: () => [{ type: "other" as const, name: "remove", target: "x" }, ...actions()],
  });
  const write = scriptedTool({ name: "write", actions });
  await using stage = await openStage({
    tools: [remove, write],
    mode: "auto-edit",
    model: scriptedModel([[callTool("remove"), callTool("write")], []]),
  });
  await stage.prompt("go");
  const asked = await stage.until(isAsking);
  const [call] = (asked.kind === "STATE_CHANGE" && asked.waiting) || [];

  await stage.session.answer(
    {
      toolCallId: call!.toolCallId,
      selectedOptionId: "cancel",
      modifiedDetails: undefined,
    },
    alice,
  );
  await stage.until(isEnd);

  expect(remove.ran).toEqual([]);
  expect(write.ran).toEqual([]);
});

test("a question stays open when a later question of the same step is answered [RFC-14]", async () => {
  const write = scriptedTool({ name: "write" });
  await using stage = await openStage({
    tools: [write],
    model: scriptedModel([[callTool("write", { n: 1 }), callTool("write", { n: 2 })], []]),
  });
  await stage.prompt("go");
  const asked = await stage.until(isAsking);
  const [first, second] = (asked.kind === "STATE_CHANGE" && asked.waiting) || [];

  await stage.session.answer(
    {
      toolCallId: second!.toolCallId,
      selectedOptionId: "proceed_once",
      modifiedDetails: undefined,
    },
    alice,
  );
  const again = await stage.until(isAsking, 2);

  expect(again).toMatchObject({
    state: "input-required",
    waiting: [{ toolCallId: first!.toolCallId }],
  });
  expect(write.ran).toEqual([]);
});

test("steering can be withdrawn, is limited like queued prompts and ends with its turn", async () => {
  const write = scriptedTool({ name: "write" });
  await using stage = await openStage({
    tools: [write],
    maxQueue: 2,
    model: scriptedModel([[callTool("write")]]),
  });
  await stage.prompt("go");
  await stage.until(isAsking);
  const parts = [{ type: "text", text: "more" }] as const;
  const steer = (messageId: string) =>
    stage.session.prompt({ messageId, taskId: "task", parts }, alice, { steer: true });

  await steer("s1");
  expect(await stage.session.withdraw("s1")).toBe(true);
  await steer("s2");
  await steer("s3");
  await expect(steer("s4")).rejects.toThrow("prompts are waiting already");
  await stage.session.cancel("task");

  expect(stage.ledger.events.at(-1)).toMatchObject({ state: "canceled" });
  expect(stage.session.snapshot()).toMatchObject({ queue: [] });
});

test("a tool that hangs is stopped at the limit of working time, and its call fails", async () => {
  const hang = scriptedTool({
    name: "hang",
    run: (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")));
      }),
  });
  await using stage = await openStage({
    tools: [hang],
    mode: "yolo",
    limits: { maxWorkMs: 2_000 },
    model: scriptedModel([[callTool("hang")]]),
  });

  await stage.prompt("go");

  expect(await stage.until(isEnd)).toMatchObject({
    state: "failed",
    error: "the turn was stopped because it worked longer than its limit",
  });
  const last = stage.ledger.events.findLast((event) => event.kind === "TOOL_CALL_UPDATE");
  expect(last).toMatchObject({ toolCall: { status: "FAILED" } });
});

test("a loop of two alternating calls is detected and stopped", async () => {
  let requests = 0;
  const model: Model = {
    name: "circling",
    async *stream() {
      requests += 1;
      yield callTool("touch", { what: requests % 2 });
    },
  };
  await using stage = await openStage({ model, mode: "yolo" });

  await stage.prompt("go");
  await stage.until(isEnd);

  expect(requests).toBe(10);
});

test("a retry of a command repeats its prompt to the model, not the command [SRV-22]", async () => {
  let isFailing = true;
  const model: Model = {
    name: "flaky",
    async *stream() {
      if (isFailing) throw new Error("gone");
      yield say("back");
    },
  };
  await using stage = await openStage({ model, commands: () => commands });
  await stage.command(["ask"], "x");
  await stage.until(isEnd);
  isFailing = false;

  await stage.session.retry();
  await stage.until(isEnd, 2);

  expect(stage.texts()).toEqual(["back"]);
  expect(stage.session.snapshot().history.map(({ role }) => role)).toEqual(["user", "model"]);
});

test("internal tools are hidden from the model, and the model cannot call them", async () => {
  const inner = { ...scriptedTool({ name: "inner" }), isInternal: true };
  let offered: readonly string[] = [];
  const model: Model = {
    name: "curious",
    async *stream({ tools, history }) {
      offered = tools.map(({ name }) => name);
      if (history.length === 1) yield callTool("inner");
    },
  };
  await using stage = await openStage({ model, tools: [inner, touch], mode: "yolo" });

  await stage.prompt("go");
  await stage.until(isEnd);

  expect(offered).toEqual(["touch"]);
  expect(inner.ran).toEqual([]);
  const [result] = stage.session
    .snapshot()
    .history.flatMap((item) => (item.role === "tool" ? item.results : []));
  expect(result?.text).toBe("there is no tool called inner; the tools are touch");
});
