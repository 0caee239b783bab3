import type { AgentPort, Caller, OpenAgentOptions } from "@dt/schema";
import { expect, test } from "vitest";
import { currentLogContext, withLogContext } from "../logging/log-context.js";
import type { Metrics } from "../metrics/metrics.js";
import { LeaseHeld } from "../store/lease.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import type { SessionStore } from "../store/session-store.js";
import { createScriptedAgent } from "../testing/fake-agent.js";
import {
  openManualAgent,
  openTestRegistry,
  TEST_OWNER,
  TEST_SETTINGS,
} from "../testing/open-test-registry.js";
import { openRefusingStore } from "../testing/refusing-store.js";

/** Opens a store that stays open when a registry on it closes. */
function openKeptStore(): SessionStore {
  return { ...openMemoryStore(), close: async () => {} };
}

/** Stores a session with a working task, and closes its registry. */
async function storeWorkingSession(store: SessionStore): Promise<void> {
  const { registry, start } = openTestRegistry({}, store);
  await (await start("a")).prompted;
  await registry.close();
}

test("a restored session counts as working while its turn runs, and not after the turn", async () => {
  const store = openKeptStore();
  await storeWorkingSession(store);
  const { registry, agents } = openTestRegistry({}, store);
  const { host } = await registry.getTask("a", TEST_OWNER);
  const beforeOwner = { isOwned: host.isOwned, isBusy: host.isBusy, log: host.log.isBusy };
  await host.becomeOwner();
  const counts = [registry.counters.working];

  await agents[0]?.finish("a", "input-required");
  counts.push(registry.counters.working);
  await host.agent.prompt({ messageId: "m", taskId: "a", parts: [] }, TEST_OWNER);
  counts.push(registry.counters.working);
  await agents[0]?.finish("a");
  counts.push(registry.counters.working);

  expect(beforeOwner).toEqual({ isOwned: false, isBusy: false, log: true });
  expect(counts).toEqual([1, 0, 1, 0]);
  await registry.close();
});

test("reading a recovered session that left memory does not open its agent again", async () => {
  const store = openKeptStore();
  await storeWorkingSession(store);
  const { registry, agents, clock } = openTestRegistry({ sessionIdleMs: 1_000 }, store);
  await registry.recover();
  await agents[0]?.finish("a");
  clock.pass(1_000);
  await registry.sweep();

  const { host } = await registry.getTask("a", TEST_OWNER);

  expect({ isOwned: host.isOwned, agents: agents.length }).toEqual({ isOwned: false, agents: 1 });
  await registry.close();
});

test("a process that becomes the owner announces the events that another process has added", async () => {
  const store = openKeptStore();
  const other = openTestRegistry({}, store);
  await (await other.start("a")).prompted;
  const { registry } = openTestRegistry({}, store);
  const { host } = await registry.getTask("a", TEST_OWNER);
  let notified = 0;
  host.log.subscribers.add(() => {
    notified += 1;
  });

  await other.agents[0]?.finish("a");
  await other.registry.close();
  await host.becomeOwner();

  expect([notified, host.log.lastPosition, host.log.isBusy]).toEqual([1, 2, false]);
  expect((await host.log.view("a")).state).toBe("completed");
  await registry.close();
});

test("a session with a waiting prompt stays in memory, and closing the registry refuses the prompt", async () => {
  const limits = { maxTurns: 1, sessionIdleMs: 1_000 };
  const { registry, clock, start } = openTestRegistry(limits, openKeptStore());
  await (await start("a")).prompted;
  const { host, prompted } = await start("b");
  await expect.poll(() => registry.counters.waitingPrompts).toBe(1);

  clock.pass(5_000);
  await registry.sweep();

  expect([host.isBusy, host.log.isBusy, registry.counters.inMemory]).toEqual([true, false, 2]);
  await Promise.all([expect(prompted).rejects.toThrow("the server is stopping"), registry.close()]);
});

test("an open agent answers requests even while the store refuses commits", async () => {
  const store = openRefusingStore(openMemoryStore());
  const commands = [{ name: "x", description: "", arguments: [], subCommands: [] }];
  const { registry } = openTestRegistry({}, store, {
    openAgent: async (options) => ({
      ...openManualAgent(options).agent,
      handle: async () => ({ type: "commands", commands }),
    }),
  });
  const host = await registry.createSession(
    { contextId: "c", settings: TEST_SETTINGS },
    TEST_OWNER,
  );

  store.refuse(new Error("the disk is full"));

  expect(await host.handle({ type: "list-commands" }, TEST_OWNER)).toEqual({
    type: "commands",
    commands,
  });
  await registry.close();
});

test("a closing session refuses requests, and its log closes after its agent", async () => {
  let letClose = () => {};
  const closing = new Promise<void>((resolve) => {
    letClose = resolve;
  });
  const { registry } = openTestRegistry({}, openMemoryStore(), {
    openAgent: async (options) => ({ ...openManualAgent(options).agent, close: () => closing }),
  });
  const host = await registry.createSession(
    { contextId: "c", settings: TEST_SETTINGS },
    TEST_OWNER,
  );

  const closed = registry.close();
  await expect(host.becomeOwner()).rejects.toMatchObject({
    code: "agent-busy",
    message: "the session is closing; send the message again",
  });
  const wasClosed = host.log.isClosed;
  letClose();
  await closed;

  expect([wasClosed, host.log.isClosed]).toEqual([false, true]);
});

test("the log of a session that was only read is closed with the registry", async () => {
  const store = openKeptStore();
  await storeWorkingSession(store);
  const { registry } = openTestRegistry({}, store);
  const { host } = await registry.getTask("a", TEST_OWNER);

  await registry.close();

  expect(host.log.isClosed).toBe(true);
});

test("if a session closes while its agent is being opened, the agent is closed too", async () => {
  let letOpen = () => {};
  const opening = new Promise<void>((resolve) => {
    letOpen = resolve;
  });
  const closed: string[] = [];
  const { registry } = openTestRegistry({}, openMemoryStore(), {
    async openAgent(options) {
      await opening;
      return {
        ...openManualAgent(options).agent,
        close: async () => void closed.push(options.contextId),
      };
    },
  });
  const created = registry.createSession({ contextId: "c", settings: TEST_SETTINGS }, TEST_OWNER);
  await new Promise(setImmediate);

  const ended = registry.close();
  letOpen();
  await Promise.allSettled([created, ended]);

  expect(closed).toEqual(["c"]);
});

test("a session can be created again after its agent could not be opened", async () => {
  const store = openKeptStore();
  let isBroken = true;
  const { registry } = openTestRegistry({}, store, {
    async openAgent(options) {
      if (isBroken) throw new Error("there is no model");
      return openManualAgent(options).agent;
    },
  });
  const create = () =>
    registry.createSession({ contextId: "c", settings: TEST_SETTINGS }, TEST_OWNER);

  await expect(create()).rejects.toThrow("there is no model");
  const { inMemory } = registry.counters;
  isBroken = false;
  const host = await create();

  expect([inMemory, host.isOwned]).toEqual([0, true]);
  await registry.close();
});

test("a busy session does not count as working if its owner cannot be opened", async () => {
  const memory = openKeptStore();
  await storeWorkingSession(memory);
  const store = openRefusingStore(memory);
  const { registry, faults } = openTestRegistry({}, store, {
    openAgent: () => Promise.reject(new Error("there is no directory")),
  });
  const { host } = await registry.getTask("a", TEST_OWNER);
  store.refuse(new Error("the disk is full"));

  await expect(host.becomeOwner()).rejects.toThrow("could not be stored");

  expect(registry.counters.working).toBe(0);
  expect(faults[0]).toMatchObject({ message: "there is no directory" });
  await registry.close();
});

/** Opens a registry with one session whose agent fails when it closes. */
async function openFailingClose(store: SessionStore) {
  let finish = async (_taskId: string): Promise<unknown> => undefined;
  const stage = openTestRegistry({}, store, {
    async openAgent(options) {
      const opened = openManualAgent(options);
      finish = opened.finish;
      const close: AgentPort["close"] = () => Promise.reject(new Error("cannot close"));
      return { ...opened.agent, close };
    },
  });
  await (await stage.start("a")).prompted;
  return { ...stage, finish: () => finish("a") };
}

test("a fault is reported if an agent fails to close, and its lease is released", async () => {
  const store = openKeptStore();
  const { registry, faults } = await openFailingClose(store);

  await registry.close();

  expect(faults).toMatchObject([{ message: "cannot close" }]);
  await expect(store.acquire("context-a")).resolves.toMatchObject({ epoch: 2 });
});

test("no second fault is reported if an agent fails to close after its ledger failed", async () => {
  const store = openRefusingStore(openKeptStore());
  const { registry, faults, finish } = await openFailingClose(store);

  store.refuse(new Error("the disk is full"));
  await expect(finish()).rejects.toThrow("could not be stored");
  await registry.close();

  expect(faults).toMatchObject([{ message: "the disk is full" }]);
});

test("an agent is opened in the log context of its session, and gets isCredentialAlive", async () => {
  const opened: unknown[] = [];
  const openAgent = createScriptedAgent();
  const { registry } = openTestRegistry({}, openMemoryStore(), {
    isCredentialAlive: (credential) => credential === "alive",
    async openAgent(options) {
      const { isCredentialAlive } = options;
      opened.push(currentLogContext(), ["alive", "ended"].map(isCredentialAlive));
      return await openAgent(options);
    },
  });

  await registry.createSession({ contextId: "c", settings: TEST_SETTINGS }, TEST_OWNER);

  expect(opened).toEqual([{ contextId: "c" }, [true, false]]);
  await registry.close();
});

/** Creates metrics that record their calls. */
function recordMetrics() {
  const calls: string[] = [];
  const metrics: Metrics = {
    eventCommitted: (kind) => void calls.push(kind),
    turnEnded: ({ state }) => void calls.push(`turn ${state}`),
    toolCallEnded: () => {},
    questionAnswered: () => {},
    tokensUsed: () => {},
    groupCommitted: ({ isStored }) => void calls.push(`commit ${isStored}`),
    callAnswered: () => {},
    rateLimited: () => {},
    budgetRefused: () => {},
    ownerCharged: () => {},
    pushed: () => {},
    page: () => Promise.reject(new Error("there is no page")),
  };
  return { calls, metrics };
}

test("the commits, events, turns and queued prompts of sessions are measured", async () => {
  const { calls, metrics } = recordMetrics();
  let letEnd = () => {};
  const ended = new Promise<undefined>((resolve) => {
    letEnd = () => resolve(undefined);
  });
  const { registry, start } = openTestRegistry({}, openMemoryStore(), {
    metrics,
    openAgent: createScriptedAgent(async () => await ended),
  });
  const { host, prompted } = await start("a");
  await prompted;
  const other = await start("b");
  await other.prompted;
  for (const messageId of ["m", "n"])
    await host.agent.prompt({ messageId, taskId: "a", parts: [] }, TEST_OWNER);

  const { queuedPrompts } = registry.counters;
  letEnd();
  await expect.poll(() => host.log.isBusy || other.host.log.isBusy).toBe(false);
  await registry.close();

  expect(queuedPrompts).toBe(2);
  expect(new Set(calls)).toEqual(
    new Set(["commit true", "USER_PROMPT", "STATE_CHANGE", "QUEUE", "turn completed"]),
  );
});

test("the counters have the sum of all subscribers and the largest lag of all sessions", async () => {
  const { registry, start } = openTestRegistry();
  for (const [name, position] of [["a", 0] as const, ["b", 1] as const]) {
    const { host, prompted } = await start(name);
    await prompted;
    host.log.subscribers.add(() => {}, { position: () => position });
    host.log.subscribers.add(() => {});
  }

  expect(registry.counters).toMatchObject({ subscribers: 4, lag: 1, working: 2 });
  await registry.close();
});

test("a session can be opened again after it could not be deleted", async () => {
  const memory = openMemoryStore();
  const store: SessionStore = {
    ...memory,
    deleteSession: () => Promise.reject(new Error("the disk is full")),
  };
  const { registry, start } = openTestRegistry({}, store);
  await (await start("a")).prompted;

  const refused = expect(registry.deleteSession("context-a")).rejects.toThrow("the disk is full");
  const { host } = await registry.getTask("a", TEST_OWNER);
  await refused;

  expect(host.log.lastPosition).toBe(1);
  await registry.close();
});

test("a sweep deletes expired sessions, except damaged ones and those with subscribers", async () => {
  const memory = openMemoryStore();
  const damaged = new Set<string>();
  const store: SessionStore = {
    ...memory,
    findSession: async (id) => {
      if (damaged.has(id)) throw new Error(`${id} is damaged`);
      return await memory.findSession(id);
    },
  };
  const { registry, agents, clock, faults, start } = openTestRegistry(
    { sessionTtlMs: 10_000, sessionIdleMs: 1_000 },
    store,
  );
  for (const [index, name] of ["a", "b", "c"].entries()) {
    const { host, prompted } = await start(name);
    await prompted;
    await agents[index]?.finish(name);
    if (name === "b") host.log.subscribers.add(() => {});
  }

  damaged.add("context-a");
  for (const _sweep of [1, 2]) {
    clock.pass(20_000);
    await registry.sweep();
  }

  const left = await Promise.all(["a", "b", "c"].map((name) => memory.findTask(name)));
  expect(left.map((task) => task?.taskId)).toEqual(["a", "b", undefined]);
  expect(faults).toMatchObject([{ message: "context-a is damaged" }]);
  await registry.close();
});

test.each([
  ["closes its store by default", {}, ["closed"]],
  ["does not close its store with the option keepsStoreOpen", { keepsStoreOpen: true }, []],
])("closing a registry %s", async (_what, options, expected) => {
  const steps: string[] = [];
  const store = { ...openMemoryStore(), close: async () => void steps.push("closed") };

  await openTestRegistry({}, store, options).registry.close();

  expect(steps).toEqual(expected);
});

test("at the limit of turns, createSession returns a session in memory and refuses a new session", async () => {
  const { registry, agents, start } = openTestRegistry({ maxTurns: 1, maxWaitingPrompts: 0 });
  const { host, prompted } = await start("a");
  await prompted;
  await agents[0]?.finish("a");
  await (await start("b")).prompted;
  const bob: Caller = { user: "bob", name: "bob", role: "admin" };
  const create = (contextId: string, caller: Caller) =>
    registry.createSession({ contextId, settings: TEST_SETTINGS }, caller);

  expect(await create("context-a", TEST_OWNER)).toBe(host);
  await expect(create("context-c", TEST_OWNER)).rejects.toMatchObject({ code: "agent-busy" });
  await expect(create("context-a", bob)).rejects.toMatchObject({
    code: "task-not-found",
    message: "there is no session context-a",
  });
  await registry.close();
});

test("the log lines of a request about a task contain the ids of its session and task", async () => {
  const { registry, start } = openTestRegistry();
  await (await start("a")).prompted;

  const context = await withLogContext({ requestId: "r" }, async () => {
    await registry.getTask("a", TEST_OWNER);
    return currentLogContext();
  });

  expect(context).toEqual({ requestId: "r", contextId: "context-a", taskId: "a" });
  await registry.close();
});

test("a session whose log was closed by a failure refuses requests until it is opened again", async () => {
  const store = openKeptStore();
  await storeWorkingSession(store);
  const { registry, agents } = openTestRegistry({}, store);
  const { host } = await registry.getTask("a", TEST_OWNER);

  (host.log as unknown as { close(): void }).close();

  await expect(host.becomeOwner()).rejects.toMatchObject({
    code: "agent-busy",
    message: "the session is closing; send the message again",
  });
  expect(agents).toEqual([]);
  await registry.close();
});

test("after a restart without the secrets, an agent gets the other settings and a warning [SEC-05]", async () => {
  const store = openKeptStore();
  const seen: OpenAgentOptions[] = [];
  const open = () =>
    openTestRegistry({}, store, {
      async openAgent(options) {
        seen.push(options);
        return openManualAgent(options).agent;
      },
    });
  const secret = { command: "x", args: [], env: { TOKEN: "s1" }, headers: {}, options: undefined };
  const settings = { ...TEST_SETTINGS, mcpServers: { tracker: secret } };
  const before = open();
  const host = await before.registry.createSession({ contextId: "c", settings }, TEST_OWNER);
  await host.agent.prompt({ messageId: "m", taskId: "t", parts: [] }, TEST_OWNER);
  await before.registry.close();

  const after = open();
  await (await after.registry.findSession("c", TEST_OWNER))?.becomeOwner();

  const warning = expect.stringMatching(/^the MCP server tracker is missing: its secret was kept/);
  expect(seen.map(({ settings: given, warnings, journal }) => [given, warnings, journal])).toEqual([
    [settings, undefined, []],
    [TEST_SETTINGS, [warning], [{ type: "prompted t" }]],
  ]);
  expect(seen.map(({ contextId, budget }) => [contextId, budget?.owner])).toEqual([
    ["c", "alice"],
    ["c", "alice"],
  ]);
  expect(after.faults).toMatchObject([
    { message: expect.stringMatching(/^c: the MCP server tracker is missing/) },
  ]);
  await after.registry.close();
});

test("a session whose model key is lost uses no other key, and its refusal says what to do [SEC-05]", async () => {
  const store = openKeptStore();
  const opened: unknown[] = [];
  const open = () =>
    openTestRegistry({}, store, {
      async openAgent(options) {
        opened.push(options.modelKey);
        return openManualAgent(options).agent;
      },
    });
  const settings = { ...TEST_SETTINGS, hasModelKey: true };
  const before = open();
  const host = await before.registry.createSession(
    { contextId: "c", settings, modelKey: "k-1" },
    TEST_OWNER,
  );
  await host.agent.prompt({ messageId: "m", taskId: "t", parts: [] }, TEST_OWNER);
  await before.registry.close();

  const after = open();
  const restored = await after.registry.findSession("c", TEST_OWNER);
  await restored?.becomeOwner();
  const refused = restored?.agent.prompt({ messageId: "n", taskId: "t", parts: [] }, TEST_OWNER);

  await expect(refused).rejects.toThrow(
    "with DT_SECRET_KEY, the server keeps such secrets encrypted; send POST /tasks with its contextId and the key again",
  );
  expect(opened).toEqual(["k-1"]);
  await after.registry.setModelKey("c", "k-2");
  await (await after.registry.findSession("c", TEST_OWNER))?.becomeOwner();
  expect(opened).toEqual(["k-1", "k-2"]);
  await after.registry.close();
});

test("a session that cannot be acquired is reported and tried again, unless another process has it", async () => {
  const kept = openKeptStore();
  await storeWorkingSession(kept);
  let refusal: Error | undefined = new Error("the lock file cannot be written");
  const store: SessionStore = {
    ...kept,
    async acquire(contextId, options) {
      if (refusal !== undefined) throw refusal;
      return await kept.acquire(contextId, options);
    },
  };
  const { registry, agents, faults } = openTestRegistry({}, store);

  await registry.recover();
  const first = [faults.length, agents.length];
  refusal = undefined;
  await registry.sweep();
  const second = [faults.length, agents.length];
  await registry.close();
  const other = openTestRegistry(
    {},
    { ...store, acquire: async (id) => Promise.reject(new LeaseHeld(id)) },
  );
  await other.registry.recover();
  const reads = await other.registry.getTask("a", TEST_OWNER);
  const prompt = { messageId: "m", taskId: "a", parts: [] };

  await expect(reads.host.agent.prompt(prompt, TEST_OWNER)).rejects.toMatchObject({
    code: "agent-busy",
    message: "the session is open in another instance; send the message again later",
  });
  expect([first, second]).toEqual([
    [1, 0],
    [1, 1],
  ]);
  expect([other.faults, other.agents, reads.host.isOwned]).toEqual([[], [], false]);
  await other.registry.close();
});
