import type { Caller, SessionEvent } from "@dt/schema";
import { expect, test } from "vitest";
import { createBuiltinCommands } from "../commands/builtin/builtin-commands.js";
import type { Command } from "../commands/command.js";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import { type ModelSessionOptions, openDrivenSession } from "../testing/drive-session.js";
import { callTool, type ScriptedAnswer, say, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";

const alice: Caller = {
  user: "alice",
  name: "Alice",
  role: "approve",
  credential: "alice's socket",
};

const touch = scriptedTool({
  name: "touch",
  actions: () => [{ type: "other", name: "touch", target: "it" }],
  details: () => ({ $case: "genericDetails", value: { description: "touch" } }),
  run: () => "touched",
});

/** A session whose turn has emitted one word and continues when `goOn` is called. */
async function openBusySession(
  options: Partial<ModelSessionOptions> & { after?: ScriptedAnswer[] } = {},
) {
  const { after = [], ...rest } = options;
  const workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  async function* wait() {
    yield say("one ");
    await gate;
    yield say("two");
    if (after.length > 0) yield callTool("touch");
  }
  const base: ModelSessionOptions = {
    model: scriptedModel([wait, ...after]),
    tools: [touch],
    workspace,
    ledger,
    commands: () =>
      createBuiltinCommands({
        workspaceRoot: workspace.root,
        tools: () => [touch],
        currentModel: () => "scripted",
      }),
    ...rest,
  };
  const session = await openDrivenSession(base);
  async function until(fits: (event: SessionEvent) => boolean): Promise<SessionEvent> {
    for await (const event of ledger.read()) if (fits(event)) return event;
    throw new Error("the ledger ended");
  }
  await session.prompt(
    { messageId: "m", taskId: "task", parts: [{ type: "text", text: "go" }] },
    alice,
  );
  await until((event) => event.kind === "TEXT_CONTENT");
  return {
    ledger,
    session,
    goOn,
    until,
    reopen: () => openDrivenSession({ ...base, journal: [...ledger.journal] }),
    ended: () =>
      until(
        ({ taskId, kind, state }) =>
          taskId === "task" && kind === "STATE_CHANGE" && state === "completed",
      ),
    command: (path: readonly string[], args = "", taskId = "command") =>
      session.runCommand({ messageId: `m-${path}-${args}`, taskId, path, args }, alice),
    kindsOf: (taskId: string) =>
      ledger.events
        .filter((event) => event.taskId === taskId)
        .map(({ kind, state }) => `${kind} ${state}`),
    async [Symbol.asyncDispose]() {
      goOn();
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

test("a read-only command runs beside a turn in a task of its own", async () => {
  await using stage = await openBusySession();

  const begun = await stage.command(["tools"]);

  expect(begun).toMatchObject({ status: "STARTED", ticket: { taskId: "command", turn: 2 } });
  expect(stage.kindsOf("command")).toEqual([
    "USER_PROMPT submitted",
    "STATE_CHANGE working",
    "TEXT_CONTENT working",
    "STATE_CHANGE completed",
  ]);
  expect(stage.session.snapshot()).toMatchObject({
    turn: { prompt: { taskId: "task" } },
    queue: [],
    tasks: { task: "working", command: "completed" },
  });
  stage.goOn();
  await stage.ended();
  expect(stage.kindsOf("task")).not.toContain("QUEUE working");
});

test.each(["help", "mcp", "memory", "restore", "model", "mode", "permissions", "stats"])(
  "/%s runs without waiting for the running turn",
  async (name) => {
    await using stage = await openBusySession();

    await stage.command([name]);

    expect(stage.session.snapshot().queue).toEqual([]);
    expect(stage.kindsOf("command").at(-1)).toMatch(/^STATE_CHANGE (completed|failed)$/);
  },
);

test.each(["clear", "model other", "restore 1", "permissions clear", "compress"])(
  "/%s waits for the running turn",
  async (text) => {
    const [name = "", args] = text.split(" ");
    await using stage = await openBusySession({ createModel: () => scriptedModel([]) });

    const begun = stage.command([name], args);
    await stage.until((event) => event.kind === "QUEUE");

    expect(stage.session.snapshot().queue).toHaveLength(1);
    stage.goOn();
    await begun;
  },
);

test("/mode applies to the next tool call of the running turn [SEC-10]", async () => {
  await using stage = await openBusySession({ after: [[say("done")]] });

  await stage.command(["mode"], "yolo");
  stage.goOn();
  await stage.ended();

  expect(await stage.session.mode(alice.credential)).toBe("yolo");
  const asked = stage.ledger.events.filter(
    (event) => event.kind === "STATE_CHANGE" && event.waiting !== undefined,
  );
  expect(asked).toEqual([]);
});

test("/mode from a caller without a credential fails to start beside a turn [SEC-10]", async () => {
  await using stage = await openBusySession();
  const anonymous: Caller = { user: "alice", name: "Alice", role: "approve" };
  const request = { messageId: "x", taskId: "command", path: ["mode"], args: "yolo" };

  const begun = await stage.session.runCommand(request, anonymous);

  expect(begun).toMatchObject({ status: "FAILED_TO_START" });
  expect(stage.kindsOf("command")).toEqual([]);
});

test("a command for the task of the running turn gets a task of its own", async () => {
  await using stage = await openBusySession();

  const { ticket } = await stage.command(["stats"], "", "task");

  expect(ticket?.taskId).not.toBe("task");
  expect(stage.kindsOf(ticket?.taskId ?? "")).toHaveLength(4);
});

test("a command that fails beside a turn reports its error and leaves the turn alone", async () => {
  await using stage = await openBusySession();

  await stage.command(["help"], "nothing");

  expect(stage.ledger.events.at(-1)).toMatchObject({
    taskId: "command",
    state: "failed",
    error: "there is no command /nothing; /help lists the commands",
  });
  stage.goOn();
  await stage.ended();
});

test("a restored session contains a command that ran beside a turn", async () => {
  await using stage = await openBusySession();
  await stage.command(["stats"]);
  const closed = stage.session.close();
  stage.goOn();
  await closed;

  const restored = await stage.reopen();

  expect(restored.snapshot()).toMatchObject({ turns: 2, tasks: { command: "completed" } });
  await restored.close();
});

test("a command that runs beside a turn is refused if it tries to change the session", async () => {
  const invalid: Command = {
    name: "invalid",
    description: "changes the session although it claims to only read",
    runsConcurrently: () => true,
    run: async () => ({ type: "done", effect: { type: "clear" } }),
  };
  await using stage = await openBusySession({ commands: () => [invalid] });

  await expect(stage.command(["invalid"])).rejects.toThrow("may only return text");

  expect(stage.kindsOf("command")).toEqual([]);
});

test("the limit of waiting prompts also limits the commands that run beside a turn", async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slow: Command = {
    name: "slow",
    description: "reads slowly",
    runsConcurrently: () => true,
    run: async () => {
      await finished;
      return { type: "done", say: "read" };
    },
  };
  await using stage = await openBusySession({ commands: () => [slow], maxQueue: 1 });
  const first = stage.command(["slow"]);

  await expect(stage.command(["slow"], "again")).rejects.toMatchObject({ code: "agent-busy" });

  finish();
  expect(await first).toMatchObject({ status: "STARTED" });
});

test("a command that is running when its session closes is not recorded", async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slow: Command = {
    name: "slow",
    description: "reads slowly",
    runsConcurrently: () => true,
    run: async () => {
      await finished;
      return { type: "done", say: "read" };
    },
  };
  await using stage = await openBusySession({ commands: () => [slow] });
  const begun = stage.command(["slow"]);

  const closed = stage.session.close();
  finish();

  await expect(begun).rejects.toMatchObject({ code: "agent-busy" });
  stage.goOn();
  await closed;
  expect(stage.kindsOf("command")).toEqual([]);
});
