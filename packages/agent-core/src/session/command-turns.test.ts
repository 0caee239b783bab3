import { type Caller, type SessionEvent, textOf } from "@dt/schema";
import { expect, test } from "vitest";
import type { Command, CommandOutcome } from "../commands/command.js";
import { type ModelSessionOptions, openDrivenSession } from "../testing/drive-session.js";
import { openHeldLedger } from "../testing/held-ledger.js";
import { callTool, say, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";

const alice: Caller = { user: "alice", name: "Alice", role: "approve", credential: "c" };

/** A session with one command whose outcome the test chooses. */
async function openStage(
  run: (args: string) => CommandOutcome | Promise<CommandOutcome>,
  options: Partial<ModelSessionOptions> & Pick<Command, "runsConcurrently"> = {},
) {
  const workspace = await openTempWorkspace();
  const ledger = openHeldLedger();
  const { runsConcurrently, ...rest } = options;
  const command: Command = {
    name: "do",
    description: "does it",
    run: async ({ args }) => await run(args),
    ...(runsConcurrently && { runsConcurrently }),
  };
  const group: Command = { name: "all", description: "all of it", subCommands: [command] };
  let calls = 0;
  const base: ModelSessionOptions = {
    model: scriptedModel([]),
    tools: [scriptedTool({ name: "ask" })],
    commands: () => [command, group],
    createId: () => `id-${++calls}`,
    workspace,
    ledger,
    ...rest,
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
    command: (path: readonly string[], args = "", taskId = "c") =>
      session.runCommand({ messageId: `${path}`, taskId, path, args }, alice),
    prompt: (text: string, taskId = "t") =>
      session.prompt({ messageId: text, taskId, parts: [{ type: "text", text }] }, alice),
    answer: (toolCallId: string, selectedOptionId = "proceed_once") =>
      session.answer({ toolCallId, selectedOptionId, modifiedDetails: undefined }, alice),
    async until(state: string, taskId = "c"): Promise<SessionEvent> {
      for await (const event of ledger.read())
        if (event.kind === "STATE_CHANGE" && event.state === state && event.taskId === taskId)
          return event;
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
      return `${event.taskId} ${event.state}`;
    case "USER_PROMPT":
      return `${event.taskId} > ${textOf(event.parts)}`;
    case "TEXT_CONTENT":
      return `${event.taskId} "${event.text}"`;
    case "TOOL_CALL_UPDATE":
      return `${event.toolCall.toolCallId} ${event.toolCall.status}`;
    default:
      return `${event.taskId} ${event.kind}`;
  }
}

const askOnce = (next: () => CommandOutcome): CommandOutcome => ({
  type: "ask",
  calls: [{ toolName: "ask", input: {} }],
  next: async () => next(),
});

test("a command is shown as a person would type it, and empty output is not shown", async () => {
  await using stage = await openStage((args) => ({ type: "done", say: args }));

  await stage.command(["do"], "it now", "a");
  await stage.until("completed", "a");
  await stage.command(["all", "do"], "", "b");
  await stage.until("completed", "b");
  await stage.command(["all"], "", "g");
  await stage.until("completed", "g");

  expect(stage.log()).toEqual([
    ...["a > /do it now", "a working", 'a "it now"', "a completed"],
    ...["b > /all do", "b working", "b completed"],
    ...["g > /all", "g working", 'g "/all: all of it\n  /all do: does it"', "g completed"],
  ]);
});

test("a command fails if the input of its call is not an object", async () => {
  const calls = [{ toolName: "ask", input: [] as unknown as Record<string, unknown> }];
  await using stage = await openStage(() => ({
    type: "ask",
    calls,
    next: async () => ({ type: "done" }),
  }));

  await stage.command(["do"]);

  expect(await stage.until("failed")).toMatchObject({
    error: "ask: the arguments must be a JSON object",
  });
  expect(stage.log()).toEqual(["c > /do", "c working", "c failed"]);
});

test("a command that is cancelled at its question does not continue", async () => {
  let hasContinued = false;
  await using stage = await openStage(() =>
    askOnce(() => {
      hasContinued = true;
      return { type: "done", say: "continued" };
    }),
  );
  await stage.command(["do"]);
  await stage.until("input-required");

  await stage.session.cancel("c");

  expect(hasContinued).toBe(false);
  expect(stage.log().slice(2)).toEqual([
    "id-1 PENDING",
    "c input-required",
    "id-1 CANCELLED",
    "c canceled",
  ]);
});

test("after a restart, a command that has already prompted the model does not run again", async () => {
  let runs = 0;
  await using stage = await openStage(
    () => {
      runs += 1;
      return { type: "done", say: "asks", prompt: [{ type: "text", text: "please" }] };
    },
    { model: scriptedModel([[callTool("ask")], [say("done")]]) },
  );
  await stage.command(["do"]);
  await stage.until("input-required");

  await stage.reopen();
  await stage.answer("id-1");
  await stage.until("completed");

  expect(runs).toBe(1);
  expect(stage.log()).toEqual([
    ...["c > /do", "c working", 'c "asks"', "id-1 PENDING", "c input-required"],
    ...["id-1 EXECUTING", "id-1 SUCCEEDED", 'c "done"', "c completed"],
  ]);
  expect(stage.session.snapshot().history[0]).toEqual({
    role: "user",
    parts: [{ type: "text", text: "please" }],
  });
});

test("a command beside a turn gets its own task if the requested task is in use", async () => {
  const outcome = { type: "done", say: "beside" } as const;
  await using stage = await openStage(() => outcome, {
    runsConcurrently: () => true,
    openTaskId: "open",
    model: scriptedModel([[callTool("ask")]]),
  });
  await stage.prompt("go");
  await stage.until("input-required", "t");

  const tasks = [];
  for (const taskId of ["t", "open", "free"]) {
    const { status, message, ticket } = await stage.command(["do"], "", taskId);
    tasks.push([status, message, ticket?.taskId]);
  }

  expect(tasks).toEqual([
    ["STARTED", "", "id-2"],
    ["STARTED", "", "id-3"],
    ["STARTED", "", "free"],
  ]);
});

test("a command does not wait behind a prompt whose turn is about to start", async () => {
  await using stage = await openStage(() => ({ type: "done" }), {
    runsConcurrently: () => true,
    model: scriptedModel([[callTool("ask")]]),
  });
  await stage.prompt("one");
  await stage.until("input-required", "t");
  await stage.prompt("two", "u");
  stage.ledger.hold(({ journal = [] }) => journal.some(({ type }) => type === "turn-ended"));
  await stage.answer("id-1", "cancel");
  await stage.ledger.nextHeld();

  const started = stage.command(["do"]);
  await new Promise(setImmediate);
  const { queue, turn } = stage.session.snapshot();
  stage.ledger.release();
  await started;

  expect([turn, queue.map(({ messageId }) => messageId)]).toEqual([undefined, ["two"]]);
});

test("a mode that a command sets beside a turn is announced and takes effect", async () => {
  await using stage = await openStage(
    () => ({ type: "done", say: "set", effect: { type: "set-mode", mode: "plan" } }),
    { runsConcurrently: () => true, model: scriptedModel([[callTool("ask")]]) },
  );
  await stage.prompt("go");
  await stage.until("input-required", "t");

  await stage.command(["do"]);

  expect(stage.log().slice(-5)).toEqual([
    ...["c > /do", "c working", "c MODE", 'c "set"', "c completed"],
  ]);
  expect(stage.ledger.events.find(({ kind }) => kind === "MODE")).toMatchObject({
    mode: { mode: "plan", origin: { principal: "alice", name: "Alice" } },
  });
  expect(await stage.session.mode("c")).toBe("plan");
  expect(await stage.session.otherModes("d")).toEqual([{ name: "Alice", mode: "plan" }]);
});

test("a command beside a turn cannot set a mode if its credential ends meanwhile [SEC-10]", async () => {
  let isAlive = true;
  await using stage = await openStage(
    () => {
      isAlive = false;
      return { type: "done", effect: { type: "set-mode", mode: "yolo" } };
    },
    {
      runsConcurrently: () => true,
      isCredentialAlive: () => isAlive,
      model: scriptedModel([[callTool("ask")]]),
    },
  );
  await stage.prompt("go");
  await stage.until("input-required", "t");

  await stage.command(["do"]);

  expect(await stage.until("failed")).toMatchObject({ error: expect.stringMatching(/./) });
  isAlive = true;
  expect(await stage.session.mode("c")).toBe("default");
});
