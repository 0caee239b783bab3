import { type AccessChange, type Caller, ProtocolError, type StampedEvent } from "@dt/schema";
import { expect, test } from "vitest";
import type { SessionAccess } from "../access/grants/session-access.js";
import type { Metrics } from "../metrics/metrics.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import type { SessionStore } from "../store/session-store.js";
import { StoreFault } from "../store/store-fault.js";
import {
  TEST_OWNER as alice,
  openManualAgent,
  openTestRegistry,
  TEST_SETTINGS as settings,
} from "../testing/open-test-registry.js";
import { openSessionRegistry, type SessionRegistryOptions } from "./session-registry.js";

test("an unused session leaves memory, and is restored by the next request [SRV-21]", async () => {
  const { registry, agents, clock, start } = openTestRegistry({ sessionIdleMs: 1_000 });
  await (await start("a")).prompted;
  await agents[0]?.finish("a", "input-required");

  clock.pass(1_000);
  await registry.sweep();
  const inMemory = registry.counters.inMemory;
  const { host } = await registry.getTask("a", alice);
  const openedToRead = agents.length;
  await host.becomeOwner();

  expect(inMemory).toBe(0);
  expect(openedToRead).toBe(1);
  expect(agents.map(({ log }) => log)).toEqual([["closed"], ["prompted a"]]);
  expect(host.log.lastPosition).toBe(2);
  await registry.close();
});

test("a session with a running turn or a subscriber stays in memory [SRV-21]", async () => {
  const { registry, agents, clock, start } = openTestRegistry({ sessionIdleMs: 1_000 });
  const { host, prompted } = await start("a");
  await prompted;

  clock.pass(5_000);
  await registry.sweep();
  const whileBusy = registry.counters.inMemory;
  const unsubscribe = host.log.subscribers.add(() => {});
  await agents[0]?.finish("a");
  clock.pass(5_000);
  await registry.sweep();
  const whileWatched = registry.counters.inMemory;
  unsubscribe();
  await registry.sweep();

  expect([whileBusy, whileWatched, registry.counters.inMemory]).toEqual([1, 1, 0]);
  await registry.close();
});

test("a session is deleted after its time to live, unless a turn runs [SRV-21]", async () => {
  const { registry, agents, clock, store, start } = openTestRegistry({ sessionTtlMs: 10_000 });
  await (await start("a")).prompted;
  await agents[0]?.finish("a");
  await (await start("b")).prompted;

  clock.pass(20_000);
  await registry.sweep();
  const whenDue = await store.findTask("a");
  clock.pass(10_000);
  await registry.sweep();

  expect(whenDue).toMatchObject({ state: "completed" });
  await expect(registry.getTask("a", alice)).rejects.toMatchObject({ code: "task-not-found" });
  expect(await store.findTask("b")).toMatchObject({ state: "working" });
  await registry.close();
});

test.each([
  ["one of its tasks is read", ({ registry }) => registry.getTask("a", alice)],
  ["an event is added to it", ({ agents }) => agents[0]?.finish("a")],
] as const satisfies readonly (readonly [
  string,
  (stage: ReturnType<typeof openTestRegistry>) => Promise<unknown> | undefined,
])[])("the time to live of a session starts again when %s [SRV-21]", async (_how, use) => {
  const stage = openTestRegistry({ sessionTtlMs: 10_000 });
  const { registry, agents, clock, store, start } = stage;
  await (await start("a")).prompted;
  await agents[0]?.finish("a");

  clock.pass(9_000);
  await use(stage);
  for (const ms of [9_000, 10_000]) {
    clock.pass(ms);
    await registry.sweep();
  }
  const afterUse = await store.findTask("a");
  clock.pass(10_000);
  await registry.sweep();

  expect(afterUse).toMatchObject({ state: "completed" });
  expect(await store.findTask("a")).toBeUndefined();
  await registry.close();
});

test("the idle time of a session begins at the end of its turn [SRV-21]", async () => {
  const { registry, agents, clock, start } = openTestRegistry({ sessionIdleMs: 1_000 });
  await (await start("a")).prompted;
  clock.pass(5_000);
  await agents[0]?.finish("a");

  clock.pass(999);
  await registry.sweep();
  const before = registry.counters.inMemory;
  clock.pass(1);
  await registry.sweep();

  expect([before, registry.counters.inMemory]).toEqual([1, 0]);
  await registry.close();
});

test("a used session is not deleted or evicted when the wall clock jumps [LOG-07]", async () => {
  const limits = { sessionTtlMs: 10_000, sessionIdleMs: 1_000_000 };
  const { registry, agents, clock, store, start } = openTestRegistry(limits);
  await (await start("a")).prompted;
  await agents[0]?.finish("a");

  clock.ms += 365 * 24 * 60 * 60_000;
  await registry.sweep();
  clock.pass(9_000);
  await registry.sweep();

  expect(registry.counters.inMemory).toBe(1);
  expect(await store.findTask("a")).toMatchObject({ state: "completed" });
  await registry.close();
});

test("a session with an open question does not expire [LOG-07]", async () => {
  const { registry, agents, clock, store, start } = openTestRegistry({ sessionTtlMs: 10_000 });
  await (await start("a")).prompted;
  await agents[0]?.ask("a");

  for (let sweep = 0; sweep < 5; sweep += 1) {
    clock.pass(20_000);
    await registry.sweep();
  }

  expect(await store.findTask("a")).toMatchObject({ state: "input-required" });
  await registry.close();
});

test("a session can be read while the disk is full, and prompted after that [LOG-07]", async () => {
  const memory = openMemoryStore();
  const disk = { isFull: false };
  const full = async () => {
    if (disk.isFull) throw new StoreFault("disk-full", "the disk is full");
  };
  const store: SessionStore = {
    ...memory,
    check: () => full().then(memory.check),
    commit: (commits) => full().then(() => memory.commit(commits)),
  };
  const { registry, agents, start } = openTestRegistry({}, store);
  await (await start("a")).prompted;

  disk.isFull = true;
  await expect(agents[0]?.finish("a")).rejects.toMatchObject({ data: { store: "disk-full" } });
  const { host } = await registry.getTask("a", alice);
  const view = await host.log.view("a");
  const refused = host.agent.prompt({ messageId: "m", taskId: "a", parts: [] }, alice);
  await expect(refused).rejects.toThrow("the disk is full");
  await registry.sweep();
  const wasOwned = host.isOwned;
  disk.isFull = false;
  await registry.sweep();
  const again = await registry.getTask("a", alice);
  const ticket = await again.host.agent.prompt({ messageId: "m", taskId: "a", parts: [] }, alice);

  expect(view.state).toBe("working");
  expect([wasOwned, again.host.isOwned]).toEqual([false, true]);
  expect(ticket.taskId).toBe("a");
  expect(agents).toHaveLength(2);
  await registry.close();
});

test("a prompt beyond the limit of turns waits until a turn ends [SRV-10]", async () => {
  const { registry, agents, start } = openTestRegistry({ maxTurns: 1 });
  await (await start("a")).prompted;

  const { prompted } = await start("b");
  await expect.poll(() => registry.counters).toMatchObject({ working: 1, waitingPrompts: 1 });
  await agents[0]?.finish("a");
  await prompted;

  expect(registry.counters).toMatchObject({ working: 1, waitingPrompts: 0 });
  await registry.close();
});

test("a task beyond the limit is refused, and existing tasks continue [SRV-10]", async () => {
  const { registry, start } = openTestRegistry({ maxTasksPerOwner: 1 });
  const { host, prompted } = await start("a");
  await prompted;

  const refused = (await start("b")).prompted;
  const again = host.agent.prompt({ messageId: "m", taskId: "a", parts: [] }, alice);

  await expect(refused).rejects.toMatchObject({ code: "agent-busy", data: { maxTasks: 1 } });
  await expect(again).resolves.toMatchObject({ taskId: "a" });
  expect(registry.counters.working).toBe(1);
  await registry.close();
});

test("a session whose commit fails is closed, and restored from the store [LOG-01]", async () => {
  const store = openMemoryStore();
  const disk = { isFull: false };
  const { registry, agents, faults, start } = openTestRegistry(
    {},
    {
      ...store,
      async commit(commits) {
        if (disk.isFull) throw new Error("disk full");
        return await store.commit(commits);
      },
    },
  );
  await (await start("a")).prompted;

  disk.isFull = true;
  await expect(agents[0]?.finish("a")).rejects.toThrow("could not be stored");
  disk.isFull = false;
  const { task, host } = await registry.getTask("a", alice);

  expect(task.state).toBe("working");
  expect(host.log).toMatchObject({ lastPosition: 1, isBusy: true, isClosed: false });
  expect(agents.map(({ log }) => log)).toEqual([["closed"], ["prompted a"]]);
  expect(faults).toMatchObject([{ message: "disk full" }]);
  await registry.close();
});

test("a read-only session accepts the first prompt after the disk has space again [LOG-07]", async () => {
  const memory = openMemoryStore();
  const disk = { isFull: false };
  const full = async () => {
    if (disk.isFull) throw new StoreFault("disk-full", "the disk is full");
  };
  const store: SessionStore = {
    ...memory,
    check: () => full().then(memory.check),
    commit: (commits) => full().then(() => memory.commit(commits)),
  };
  const { registry, agents, start } = openTestRegistry({}, store);
  await (await start("a")).prompted;

  disk.isFull = true;
  await expect(agents[0]?.finish("a")).rejects.toThrow("the disk is full");
  const prompt = async () => {
    const { host } = await registry.getTask("a", alice);
    return await host.agent.prompt({ messageId: "m", taskId: "a", parts: [] }, alice);
  };
  await expect(prompt()).rejects.toThrow("the disk is full");
  disk.isFull = false;

  expect(await prompt()).toMatchObject({ taskId: "a" });
  await registry.close();
});

test("after a refused commit, a sweep opens the agent again with the reason for the interruption [LOG-07]", async () => {
  const memory = openMemoryStore();
  const disk = { isFull: false };
  const full = async () => {
    if (disk.isFull) throw new StoreFault("disk-full", "the disk is full");
  };
  const interruptions: unknown[] = [];
  const store: SessionStore = {
    ...memory,
    check: () => full().then(memory.check),
    commit: (commits) => full().then(() => memory.commit(commits)),
  };
  let finish: (taskId: string) => Promise<unknown> = async () => {};
  const registry = openSessionRegistry({
    store,
    async openAgent(options) {
      interruptions.push(options.interruption);
      const opened = openManualAgent(options);
      ({ finish } = opened);
      return opened.agent;
    },
  });
  const host = await registry.createSession({ contextId: "c", settings }, alice);
  await host.agent.prompt({ messageId: "m", taskId: "a", parts: [] }, alice);

  disk.isFull = true;
  await expect(finish("a")).rejects.toThrow("the disk is full");
  await registry.sweep();
  const whileFull = [...interruptions];
  disk.isFull = false;
  await registry.sweep();
  await registry.sweep();

  expect(whileFull).toEqual([undefined]);
  expect(interruptions).toEqual([
    undefined,
    "interrupted because a step of the session could not be stored",
  ]);
  await registry.close();
});

test("a session and its tasks are visible only to their owner", async () => {
  const { registry, start, store } = openTestRegistry();
  const bob: Caller = { user: "bob", name: "bob", role: "admin" };
  const { host, prompted } = await start("a");
  await prompted;

  expect(await registry.findSession("context-a", alice)).toBe(host);
  expect(await registry.findSession("context-a", bob)).toBeUndefined();
  expect(await registry.findSession("unknown", alice)).toBeUndefined();
  expect(await registry.getTask("a", alice)).toEqual({ task: await store.findTask("a"), host });
  expect(await registry.findTask("a")).toEqual(await store.findTask("a"));
  for (const [taskId, caller] of [["a", bob] as const, ["b", alice] as const]) {
    await expect(registry.getTask(taskId, caller)).rejects.toMatchObject({
      code: "task-not-found",
      message: `there is no task ${taskId}`,
    });
  }
  expect(registry.counters).toEqual({
    inMemory: 1,
    working: 1,
    waitingPrompts: 0,
    queuedPrompts: 0,
    subscribers: 0,
    lag: 0,
  });
  await registry.close();
});

test("a subscriber is notified of each commit until it unsubscribes", async () => {
  const { registry, agents, start } = openTestRegistry();
  const seen: string[] = [];
  const stop = registry.subscribeToCommits(({ contextId, events }) => {
    seen.push(...events.map(({ event }) => `${contextId} ${event.state}`));
  });

  await (await start("a")).prompted;
  await agents[0]?.finish("a", "input-required");
  stop();
  await agents[0]?.finish("a");

  expect(seen).toEqual(["context-a working", "context-a input-required"]);
  await registry.close();
});

test("a restart opens the agents of interrupted sessions, even if one session is damaged [LOG-03]", async () => {
  const store = openMemoryStore();
  const kept = { ...store, close: async () => {} };
  const before = openTestRegistry({}, kept);
  for (const name of ["a", "b", "c"]) await (await before.start(name)).prompted;
  await before.agents[2]?.finish("c");
  await before.registry.close();
  const damaged: SessionStore = {
    ...store,
    findSession: (id) =>
      id === "context-a" ? Promise.reject(new Error("damaged")) : store.findSession(id),
  };

  const after = openTestRegistry({}, damaged);
  await after.registry.recover();

  expect(after.agents.map(({ contextId, log }) => [contextId, log])).toEqual([
    ["context-b", ["prompted b"]],
  ]);
  expect(after.faults).toMatchObject([{ message: "damaged" }]);
  expect(after.registry.counters).toMatchObject({ inMemory: 1, working: 1 });
  await after.registry.close();
});

test("interrupted sessions are opened several at a time, so that a slow one does not delay the others", async () => {
  const store = openMemoryStore();
  const before = openTestRegistry({}, { ...store, close: async () => {} });
  for (const name of ["a", "b", "c"]) await (await before.start(name)).prompted;
  await before.registry.close();
  const opening: string[] = [];
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const after = openTestRegistry({}, store, {
    async openAgent(options) {
      opening.push(options.contextId);
      await isReleased;
      return openManualAgent(options).agent;
    },
  });

  const recovered = after.registry.recover();
  await expect.poll(() => opening.length, { timeout: 600_000 }).toBe(3);
  release();
  await recovered;

  expect(opening.sort()).toEqual(["context-a", "context-b", "context-c"]);
  await after.registry.close();
});

test("draining a registry refuses prompts and waits for running turns", async () => {
  const { registry, agents, start } = openTestRegistry();
  const { host, prompted } = await start("a");
  await prompted;
  const steps: string[] = [];

  const drained = registry.drain().then(() => steps.push("drained"));
  const refused = host.agent.prompt({ messageId: "m", taskId: "a", parts: [] }, alice);
  await expect(refused).rejects.toMatchObject({ code: "agent-busy" });
  await expect(start("b")).rejects.toMatchObject({ code: "agent-busy" });
  steps.push("refused");
  await agents[0]?.finish("a");
  await drained;

  expect(steps).toEqual(["refused", "drained"]);
  expect(registry.counters.inMemory).toBe(1);
  await registry.close();
});

test("deleting a session removes it from memory and the store, and calls onSessionDeleted", async () => {
  const { store, ...stage } = openTestRegistry({ maxTasksPerOwner: 1 });
  const deleted: string[] = [];
  const registry = openSessionRegistry({
    store,
    limits: { maxTasksPerOwner: 1 },
    onSessionDeleted: async (contextId) => void deleted.push(contextId),
    openAgent: async (options) => openManualAgent(options).agent,
  });
  const prompt = async (name: string) => {
    const host = await registry.createSession({ contextId: name, settings }, alice);
    return await host.agent.prompt({ messageId: name, taskId: name, parts: [] }, alice);
  };
  await prompt("a");

  await expect(prompt("b")).rejects.toMatchObject({ code: "agent-busy" });
  await registry.deleteSession("a");

  expect(deleted).toEqual(["b", "a"]);
  expect(await registry.findTask("a")).toBeUndefined();
  expect(registry.counters).toMatchObject({ inMemory: 0, working: 0 });
  expect(await prompt("b")).toMatchObject({ taskId: "b" });
  await registry.close();
  expect(stage.faults).toEqual([]);
});

test("a new session has an owner and a time of creation, and is stored by its first commit", async () => {
  const { registry, clock, start, store } = openTestRegistry();
  clock.ms += 5;

  const { host, prompted } = await start("a");
  const before = await store.findSession("context-a");
  await prompted;

  const session = {
    contextId: "context-a",
    owner: "alice",
    settings,
    createdAt: "2026-01-01T00:00:00.005Z",
  };
  expect(before).toBeUndefined();
  expect(host.session).toEqual(session);
  expect(await store.findSession("context-a")).toMatchObject({ ...session, lastPosition: 1 });
  await registry.close();
});

test("only one session is created if its owner creates it twice at the same time", async () => {
  const { registry, agents } = openTestRegistry();

  const [first, second] = await Promise.all([
    registry.createSession({ contextId: "c", settings }, alice),
    registry.createSession({ contextId: "c", settings }, alice),
  ]);

  expect(second).toBe(first);
  expect(agents).toHaveLength(1);
  await registry.close();
});

test("if two users create a session with the same id at the same time, only one of them gets it", async () => {
  const { registry } = openTestRegistry();

  const outcomes = await Promise.allSettled([
    registry.createSession({ contextId: "c", settings }, alice),
    registry.createSession(
      { contextId: "c", settings },
      { user: "bob", name: "bob", role: "admin" },
    ),
  ]);

  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  await registry.close();
});

test("closing a registry waits for agents that are closing", async () => {
  let letClose = () => {};
  const closing = new Promise<void>((resolve) => {
    letClose = resolve;
  });
  const store = openMemoryStore();
  const order: string[] = [];
  const registry = openSessionRegistry({
    store: {
      ...store,
      close: async () => {
        order.push("store closed");
      },
    },
    onFault: () => {},
    openAgent: async (options) => ({
      ...openManualAgent(options).agent,
      close: async () => {
        await closing;
        order.push("agent closed");
      },
    }),
  });
  await registry.createSession({ contextId: "c", settings }, alice);
  const deleted = registry.deleteSession("c");

  const closed = registry.close();
  await new Promise(setImmediate);
  letClose();
  await Promise.allSettled([deleted, closed]);

  expect(order).toEqual(["agent closed", "store closed"]);
});

test("a session that another process takes over is closed, and a sweep does not open it", async () => {
  const { registry, agents, faults, store, start } = openTestRegistry();
  const { host, prompted } = await start("a");
  await prompted;

  const lease = await store.acquire("context-a", { takesOver: true });
  const late = agents[0]?.finish("a");
  await registry.sweep();

  await expect(late).rejects.toMatchObject({ code: "agent-busy" });
  expect(host.log.isClosed).toBe(true);
  expect(faults).toMatchObject([{ code: "agent-busy" }]);
  expect(agents.map(({ log }) => log)).toEqual([["closed"]]);
  expect((await store.findTask("a"))?.state).toBe("working");
  await lease.release();
  await registry.close();
});

test("the lease of a session is released when the session leaves memory", async () => {
  const { registry, agents, clock, store, start } = openTestRegistry({ sessionIdleMs: 1_000 });
  await (await start("a")).prompted;
  await agents[0]?.finish("a");

  await expect(store.acquire("context-a")).rejects.toThrow("is open already");
  clock.pass(1_000);
  await registry.sweep();
  const lease = await store.acquire("context-a");
  const held = await registry.getTask("a", alice);

  expect(lease.epoch).toBe(2);
  await expect(held.host.becomeOwner()).rejects.toThrow("is open already");
  await lease.release();
  await held.host.becomeOwner();
  expect(agents).toHaveLength(2);
  await registry.close();
});

test("another model key closes a session that is not busy, so that its next request uses the key", async () => {
  const opened: unknown[] = [];
  const { registry, agents } = openTestRegistry({}, undefined, {
    async openAgent(options) {
      opened.push(options.modelKey);
      const manual = openManualAgent(options);
      agents.push(manual);
      return manual.agent;
    },
  });
  const keyed = { ...settings, hasModelKey: true };
  const create = { contextId: "c", settings: keyed, modelKey: "one" };
  const host = await registry.createSession(create, alice);
  const prompt = async (id: string) => {
    const found = await registry.findSession("c", alice);
    await found?.agent.prompt({ messageId: id, taskId: "t", parts: [] }, alice);
  };
  await prompt("m1");

  await registry.setModelKey("c", "two");
  const whileBusy = host.log.isClosed;
  await agents[0]?.finish("t");
  await registry.setModelKey("c", "two");
  const sameKey = host.log.isClosed;
  await registry.setModelKey("c", "three");
  const otherKey = host.log.isClosed;
  await prompt("m2");

  expect([whileBusy, sameKey, otherKey]).toEqual([false, false, true]);
  expect(opened).toEqual(["one", "three"]);
  await registry.close();
});

test("a session whose creation failed leaves no model key and no secret behind", async () => {
  let isBroken = true;
  const opened: unknown[] = [];
  const { registry } = openTestRegistry({}, undefined, {
    async openAgent(options) {
      opened.push(options.modelKey);
      if (isBroken) throw new Error("no model");
      return openManualAgent(options).agent;
    },
  });
  const keyed = { contextId: "c", settings: { ...settings, hasModelKey: true } };
  await expect(registry.createSession({ ...keyed, modelKey: "one" }, alice)).rejects.toThrow(
    "no model",
  );
  isBroken = false;

  await expect(registry.createSession(keyed, alice)).rejects.toThrow("the API key of this session");
  await registry.createSession({ contextId: "d", settings }, alice);

  expect(opened).toEqual(["one", undefined]);
  await registry.close();
});

test("withdrawPrompts withdraws only the waiting prompts of the given user in the given session", async () => {
  const withdrawn: unknown[] = [];
  const { registry, agents } = openTestRegistry({}, undefined, {
    async openAgent(options) {
      const manual = openManualAgent(options);
      agents.push(manual);
      const { handle } = manual.agent;
      manual.agent.handle = async (request, caller) => {
        if (request.type !== "withdraw") return await handle(request, caller);
        withdrawn.push([request.messageId, caller]);
        return { type: "changed", isChanged: true };
      };
      const queued = (messageId: string, principal: string) => ({
        messageId,
        text: messageId,
        origin: { principal, name: principal },
      });
      const queue = {
        kind: "QUEUE",
        taskId: "t",
        turn: 1,
        state: "working",
        at: "2026-01-01T00:00:00.000Z",
        prompts: [queued("m1", "bob"), queued("m2", "eve"), queued("m3", "bob")],
      } as unknown as StampedEvent;
      await options.ledger.append({ events: [queue] });
      return manual.agent;
    },
  });
  await registry.createSession({ contextId: "c", settings }, alice);

  await registry.withdrawPrompts({ contextId: "c", user: "bob" });
  await registry.withdrawPrompts({ contextId: "unknown", user: "bob" });

  const owner = { user: "alice", name: "alice", role: "admin" };
  expect(withdrawn).toEqual([
    ["m1", owner],
    ["m3", owner],
  ]);
  await registry.close();
});

test("a change of access reaches the agent of the session as a request of its owner", async () => {
  const asked: unknown[] = [];
  let failure: unknown;
  const { registry, faults } = openTestRegistry({}, undefined, {
    async openAgent(options) {
      const { agent } = openManualAgent(options);
      const { handle } = agent;
      agent.handle = async (request, caller) => {
        if (request.type !== "announce-access") return await handle(request, caller);
        asked.push([request, caller]);
        if (failure !== undefined) throw failure;
        return { type: "changed", isChanged: true };
      };
      return agent;
    },
  });
  const change: AccessChange = {
    action: "GRANTED",
    user: "bob",
    role: "prompt",
    expiresAt: "2026-01-02T00:00:00.000Z",
    origin: { principal: "ada", name: "Ada" },
  };
  await registry.createSession({ contextId: "c", settings }, alice);

  await registry.announceAccess("c", change);
  await registry.announceAccess("unknown", change);
  failure = new ProtocolError("unsupported-operation", "not known here");
  await registry.announceAccess("c", change);
  failure = new Error("broken");
  await registry.announceAccess("c", change);

  expect(asked).toHaveLength(3);
  expect(asked[0]).toMatchObject([{ type: "announce-access" }, { user: "alice", role: "admin" }]);
  expect(faults).toMatchObject([{ message: "broken" }]);
  await registry.close();
});

test("closing a registry closes its store, unless keepsStoreOpen is set", async () => {
  const closed: string[] = [];
  const storeOf = (name: string): SessionStore => ({
    ...openMemoryStore(),
    close: async () => void closed.push(name),
  });

  await openTestRegistry({}, storeOf("own")).registry.close();
  await openTestRegistry({}, storeOf("shared"), { keepsStoreOpen: true }).registry.close();

  expect(closed).toEqual(["own"]);
});

test("agents ask isCredentialAlive, or else the access, or else count every credential as ended", async () => {
  const alive: unknown[] = [];
  const openAgent: SessionRegistryOptions["openAgent"] = async (options) => {
    alive.push(options.isCredentialAlive("token:1"));
    return openManualAgent(options).agent;
  };
  const open = async (about: Partial<SessionRegistryOptions>) => {
    const { registry } = openTestRegistry({}, undefined, { ...about, openAgent });
    await registry.createSession({ contextId: "c", settings }, alice);
    await registry.close();
  };
  const access = {
    roleOn: async () => "admin" as const,
    toSessionCaller: async (_: unknown, caller: Caller) => caller,
    isCredentialAlive: () => true,
  } as unknown as SessionAccess;

  await open({});
  await open({ access });
  await open({ access, isCredentialAlive: () => false });

  expect(alive).toEqual([false, true, false]);
});

test("a commit is measured with the clock of the registry", async () => {
  const measured: unknown[] = [];
  const memory = openMemoryStore();
  const store: SessionStore = {
    ...memory,
    async commit(commits) {
      clock.pass(2_000);
      return await memory.commit(commits);
    },
  };
  const metrics = { eventCommitted() {}, groupCommitted: (group: unknown) => measured.push(group) };
  const { registry, clock, start } = openTestRegistry({}, store, {
    metrics: metrics as unknown as Metrics,
  });

  await (await start("a")).prompted;

  expect(measured).toEqual([{ appends: 1, seconds: 2, isStored: true }]);
  await registry.close();
});

test("the model key of a deleted session is not used for a later session with its id [SEC-05]", async () => {
  const { registry, agents } = openTestRegistry();
  const keyed = { contextId: "c", settings: { ...settings, hasModelKey: true } };
  await registry.createSession({ ...keyed, modelKey: "one" }, alice);

  await registry.deleteSession("c");

  await expect(registry.createSession(keyed, alice)).rejects.toThrow("the API key of this session");
  expect(agents).toHaveLength(1);
  await registry.close();
});

test("only sessions in memory are found without a caller, and tasks are found without opening a session", async () => {
  const { registry, start, clock, agents } = openTestRegistry({ sessionIdleMs: 1_000 });
  const { host, prompted } = await start("a");
  await prompted;
  await agents[0]?.finish("a");

  const found = [registry.findOpen("context-a"), registry.findOpen("context-b")];
  clock.pass(1_000);
  await registry.sweep();

  expect(found).toEqual([host, undefined]);
  expect(registry.findOpen("context-a")).toBeUndefined();
  expect(await registry.findTask("a")).toMatchObject({ contextId: "context-a", owner: "alice" });
  expect(registry.counters.inMemory).toBe(0);
  await registry.close();
});
