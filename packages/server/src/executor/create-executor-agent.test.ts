import { TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { AgentEvent, type AgentExecutor, type ExecutionEventBus } from "@a2a-js/sdk/server";
import {
  type AgentPort,
  type Caller,
  driveAgent,
  type JsonObject,
  type LedgerEntry,
  type OpenAgentOptions,
  type StampedEvent,
} from "@dt/schema";
import { expect, test } from "vitest";
import { createExecutorAgent } from "./create-executor-agent.js";

const ada: Caller = { user: "ada", name: "Ada", role: "approve", credential: "secret" } as Caller;
const parts = [{ type: "text", text: "go" }] as const;

const enter = (bus: ExecutionEventBus, state: string, text?: string) => {
  const message = text && { messageId: "m", role: "ROLE_AGENT", parts: [{ text }] };
  const update = TaskStatusUpdateEvent.fromJSON({
    status: { state: `TASK_STATE_${state}`, message },
  });
  bus.publish(AgentEvent.statusUpdate(update));
};

function openGate() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}

/** A ledger in memory that tests can wait on. */
function openLedger() {
  const entries: LedgerEntry[] = [];
  const waiting = new Set<() => void>();
  const events = () => entries.flatMap((entry) => entry.events);
  return {
    entries,
    events,
    journal: () => entries.flatMap((entry) => entry.journal ?? []) as JsonObject[],
    publishLive() {},
    async append(entry: LedgerEntry) {
      const position = events().length;
      entries.push(entry);
      for (const check of [...waiting]) check();
      return position;
    },
    until: (fits: (event: StampedEvent) => boolean) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (!events().some(fits)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}

async function open(
  executor: Partial<AgentExecutor>,
  ledger = openLedger(),
  options: Partial<OpenAgentOptions> = {},
) {
  const faults: unknown[] = [];
  const whole: AgentExecutor = {
    execute: async () => {},
    cancelTask: async () => {},
    ...executor,
  };
  const openAgent = createExecutorAgent(whole, {
    onFault: (reason) => void faults.push(reason),
    now: () => new Date(0),
  });
  const agent: AgentPort = await openAgent({
    contextId: "c",
    settings: { workspacePath: "/", allowedTools: [], mcpServers: {} },
    ledger,
    journal: [],
    isCredentialAlive: () => true,
    ...options,
  });
  const prompt = (messageId: string, taskId = "t") =>
    driveAgent(agent).prompt({ messageId, taskId, parts }, ada);
  return { agent, ledger, faults, prompt, driver: driveAgent(agent) };
}

const summary = (events: readonly StampedEvent[]) =>
  events.map(({ kind, state }) => (kind === "STATE_CHANGE" ? state : kind));
const reached = (state: string) => (event: StampedEvent) =>
  event.kind === "STATE_CHANGE" && event.state === state;

test("events are stored in the order in which the executor published them", async () => {
  const { ledger, prompt } = await open({
    async execute(_, bus) {
      enter(bus, "WORKING", "one");
      const artifact = { artifactId: "a", parts: [{ text: "x" }] };
      bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON({ artifact })));
      enter(bus, "COMPLETED", "two");
      enter(bus, "WORKING", "too late");
    },
  });

  const ticket = await prompt("m1");
  await ledger.until(reached("completed"));

  expect(ticket).toEqual({ taskId: "t", turn: 1, afterPosition: 0 });
  expect(summary(ledger.events())).toEqual([
    "USER_PROMPT",
    "working",
    "TEXT_CONTENT",
    "ARTIFACT",
    "completed",
  ]);
  expect(ledger.entries[0]?.receipt).toEqual({
    user: "ada",
    messageId: "m1",
    taskId: "t",
    turn: 1,
  });
  expect(JSON.stringify(ledger.journal())).not.toContain("secret");
});

test("an executor gets the message, its sender and the task that the message continues", async () => {
  const requests: unknown[] = [];
  const { ledger, prompt } = await open({
    async execute({ userMessage, taskId, contextId, context, task }, bus) {
      const [part] = userMessage.parts;
      requests.push([
        part?.content?.value,
        taskId,
        contextId,
        context.user?.userName,
        task?.history.length,
      ]);
      enter(bus, requests.length === 1 ? "INPUT_REQUIRED" : "COMPLETED", "which?");
    },
  });

  await prompt("m1");
  await ledger.until(reached("input-required"));
  await prompt("m2");
  await ledger.until(reached("completed"));

  expect(requests).toEqual([
    ["go", "t", "c", "ada", undefined],
    ["go", "t", "c", "ada", 1],
  ]);
});

test("a task without a final state completes if its executor returns, and fails if it throws", async () => {
  const { ledger, prompt, faults } = await open({
    async execute({ taskId }) {
      if (taskId === "bad") throw new Error("a secret");
    },
  });

  await prompt("m1", "good");
  await prompt("m2", "bad");
  await ledger.until(reached("failed"));

  expect(summary(ledger.events().filter(({ taskId }) => taskId === "good"))).toEqual([
    "USER_PROMPT",
    "working",
    "completed",
  ]);
  const error = "the agent failed; its operator can read the reason in the log";
  expect(ledger.events().find(reached("failed"))).toMatchObject({ taskId: "bad", error });
  expect(faults).toEqual([new Error("a secret")]);
});

test("a message for a working task is queued, and the task does not end before the message has run", async () => {
  const gates = [openGate(), openGate()];
  let runs = 0;
  const { ledger, prompt, driver } = await open({
    async execute(_, bus) {
      await gates[runs++]?.promise;
      enter(bus, "COMPLETED");
    },
  });

  await prompt("m1");
  await prompt("m2");
  await prompt("m3");
  const isWithdrawn = await driver.withdraw("m3", ada);
  gates[0]?.resolve();
  await ledger.until(({ kind, turn }) => kind === "USER_PROMPT" && turn === 2);
  gates[1]?.resolve();
  await ledger.until(reached("completed"));

  expect(isWithdrawn).toBe(true);
  expect(summary(ledger.events())).toEqual([
    "USER_PROMPT",
    "working",
    "QUEUE",
    "QUEUE",
    "QUEUE",
    "input-required",
    "QUEUE",
    "USER_PROMPT",
    "working",
    "completed",
  ]);
});

test("events that a turn publishes after its end do not reach the next turn [SRV-07]", async () => {
  const gates = [openGate(), openGate(), openGate()];
  let runs = 0;
  const { ledger, prompt, faults } = await open({
    async execute(_, bus) {
      const isFirst = ++runs === 1;
      await gates[isFirst ? 0 : 2]?.promise;
      enter(bus, "COMPLETED", "done");
      enter(bus, "WORKING", "too late");
      if (!isFirst) return;
      await gates[1]?.promise;
      enter(bus, "FAILED", "too late");
      throw new Error("too late");
    },
  });

  await prompt("m1");
  await prompt("m2");
  gates[0]?.resolve();
  await ledger.until(({ kind, turn }) => kind === "USER_PROMPT" && turn === 2);
  gates[1]?.resolve();
  gates[2]?.resolve();
  await ledger.until(reached("completed"));

  expect(summary(ledger.events()).slice(3)).toEqual([
    "input-required",
    "QUEUE",
    "USER_PROMPT",
    "working",
    "completed",
  ]);
  expect(faults).toEqual([new Error("too late")]);
});

test("late events of a turn that asked a question are ignored during the next turn", async () => {
  const answered = openGate();
  const buses: ExecutionEventBus[] = [];
  const { ledger, prompt } = await open({
    async execute(_, bus) {
      buses.push(bus);
      if (buses.length === 1) enter(bus, "INPUT_REQUIRED", "which?");
      await answered.promise;
      if (buses.length === 2 && bus === buses[1]) enter(bus, "COMPLETED");
    },
  });

  await prompt("m1");
  await ledger.until(reached("input-required"));
  await prompt("m2");
  const [first] = buses;
  if (first !== undefined) enter(first, "FAILED", "too late");
  answered.resolve();
  await ledger.until(reached("completed"));

  expect(summary(ledger.events()).slice(2)).toEqual([
    "input-required",
    "USER_PROMPT",
    "working",
    "completed",
  ]);
});

test("a task leaves auth-required without a message when its executor publishes working [SRV-07]", async () => {
  const signedIn = openGate();
  const { ledger, prompt } = await open({
    async execute(_, bus) {
      enter(bus, "AUTH_REQUIRED", "sign in");
      await signedIn.promise;
      enter(bus, "WORKING");
      enter(bus, "COMPLETED");
    },
  });

  await prompt("m1");
  await ledger.until(reached("auth-required"));
  signedIn.resolve();
  await ledger.until(reached("completed"));

  expect(summary(ledger.events()).slice(2)).toEqual(["auth-required", "working", "completed"]);
});

test.each([
  ["publishes the cancellation", true],
  ["does nothing", false],
])("cancel ends a task if the executor %s", async (_, publishes) => {
  const { ledger, prompt, driver } = await open({
    execute: () => new Promise(() => {}),
    async cancelTask(_taskId, bus) {
      if (publishes) enter(bus, "CANCELED");
    },
  });
  await prompt("m1");

  const results = [await driver.cancel("t", ada), await driver.cancel("t", ada)];

  expect(results).toEqual([true, false]);
  expect(summary(ledger.events())).toEqual(["USER_PROMPT", "working", "canceled"]);
});

test("a prompt is refused if its task has ended since the server read the state of the task", async () => {
  const { ledger, prompt, agent } = await open({});
  await prompt("m1");
  await ledger.until(reached("completed"));
  const late = {
    type: "prompt",
    messageId: "m2",
    taskId: "t",
    parts,
    taskState: "working",
  } as const;

  expect(await agent.handle(late, ada)).toMatchObject({
    type: "refused",
    code: "unsupported-operation",
  });
});

test("after a restart an interrupted turn fails, a waiting task still waits, and queued messages run", async () => {
  const first = await open({
    async execute({ taskId }, bus) {
      if (taskId === "asks") enter(bus, "INPUT_REQUIRED", "which?");
      await new Promise(() => {});
    },
  });
  await first.prompt("m1", "asks");
  await first.prompt("m2", "runs");
  await first.prompt("m3", "busy");
  await first.prompt("m4", "busy");
  await first.agent.close();
  const tasks: unknown[] = [];

  const second = await open(
    {
      async execute({ taskId, task }) {
        tasks.push([taskId, task?.history.length]);
      },
    },
    openLedger(),
    { journal: first.ledger.journal() },
  );
  await second.ledger.until(reached("completed"));
  await second.prompt("m5", "asks");
  await second.ledger.until(({ taskId, state }) => taskId === "asks" && state === "completed");

  const of = (id: string) => summary(second.ledger.events().filter(({ taskId }) => taskId === id));
  expect(of("runs")).toEqual(["failed"]);
  expect(of("busy")).toEqual(["input-required", "QUEUE", "USER_PROMPT", "working", "completed"]);
  expect(of("asks")).toEqual(["USER_PROMPT", "working", "completed"]);
  expect(second.ledger.events()[0]).toMatchObject({ error: "interrupted by a restart" });
  expect(tasks).toEqual([
    ["busy", 0],
    ["asks", 1],
  ]);
});

test("an executor's agent has no commands, no questions and only the default mode", async () => {
  const { driver, agent } = await open({});
  const answer = { toolCallId: "x", selectedOptionId: "y", modifiedDetails: undefined };

  expect(await driver.listCommands(ada)).toEqual([]);
  expect(await driver.retry(ada)).toBeUndefined();
  expect(await driver.answer({ answers: [answer] }, ada)).toEqual([
    { accepted: false, reason: "unknown" },
  ]);
  expect(await driver.getModes(ada)).toMatchObject({ mode: "default" });
  expect(await driver.withdraw("m", ada)).toBe(false);
  expect(
    await driver.runCommand({ messageId: "m", taskId: "t", path: ["help"], args: "" }, ada),
  ).toMatchObject({ status: "FAILED_TO_START" });
  expect(await agent.handle({ type: "finish" }, ada)).toMatchObject({ type: "refused" });
});

test("a task that was created without a prompt waits for its first prompt [SRV-01]", async () => {
  const requests: unknown[] = [];
  const { ledger, agent, prompt } = await open({
    async execute({ task }) {
      requests.push(task?.history);
    },
  });

  const created = await agent.handle({ type: "open-task", taskId: "t" }, ada);
  const restored = await open({}, openLedger(), { journal: ledger.journal() });
  await prompt("m1");
  await ledger.until(reached("completed"));

  expect(created).toEqual({ type: "ticket", ticket: { taskId: "t", turn: 0, afterPosition: 0 } });
  expect(summary(ledger.events())).toEqual([
    "submitted",
    "working",
    "input-required",
    "USER_PROMPT",
    "working",
    "completed",
  ]);
  expect(requests).toEqual([[]]);
  expect(restored.ledger.events()).toEqual([]);
  expect(await agent.handle({ type: "get-metadata" }, ada)).toMatchObject({ type: "metadata" });
});

test("a live session refuses an executor", async () => {
  await expect(open({}, openLedger(), { openTaskId: "live" })).rejects.toThrow("createAgentServer");
});
