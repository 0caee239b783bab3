import type { AgentPort, OpenAgentOptions, StampedEvent } from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import { openDatabase } from "@dt/tooling/postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgresStore } from "../../store/postgres/open-postgres-store.js";
import { openTestRegistry, TEST_OWNER, TEST_SETTINGS } from "../../testing/open-test-registry.js";
import { STARTED_AT } from "../../testing/store-checks.js";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

const LEASE_MS = 600_000;

let schemas = 0;

/** Opens registries of several instances on the same tables. Their agents accept prompts, and end a turn on demand. */
function openInstances() {
  schemas += 1;
  const schema = `instances_${schemas}`;
  const closings: (() => Promise<void>)[] = [];

  async function open() {
    const prompts: string[] = [];
    const closed: string[] = [];
    const finishes: ((taskId: string) => Promise<unknown>)[] = [];
    const asks: ((taskId: string) => Promise<void>)[] = [];
    const openAgent = async ({ ledger, contextId }: OpenAgentOptions): Promise<AgentPort> => {
      const change = (taskId: string, state: StampedEvent["state"]): StampedEvent => ({
        kind: "STATE_CHANGE",
        taskId,
        turn: 1,
        state,
        at: STARTED_AT,
      });
      finishes.push((taskId) => ledger.append({ events: [change(taskId, "completed")] }));
      asks.push(async (taskId) => {
        const waiting = [buildQuestion()];
        const asked = { ...change(taskId, "input-required"), waiting } as StampedEvent;
        await ledger.append({ events: [asked] });
      });
      return {
        async handle(request, { user }) {
          if (request.type !== "prompt") return { type: "changed", isChanged: false };
          const { taskId, messageId } = request;
          prompts.push(messageId);
          const receipt = { user, messageId, taskId, turn: 1, digest: "d" };
          const afterPosition = await ledger.append({
            events: [change(taskId, "working")],
            receipt,
          });
          return { type: "ticket", ticket: { taskId, turn: 1, afterPosition } };
        },
        close: async () => void closed.push(contextId),
      };
    };
    const store = await openPostgresStore({
      url: `${database.url}?schema=${schema}`,
      pool: "pool",
      leaseMs: LEASE_MS,
    });
    const opened = openTestRegistry({}, store, { openAgent });
    await opened.registry.recover();
    closings.push(() => opened.registry.close());
    const prompt = async (messageId: string) => {
      const { host } = await opened.registry.getTask("task", TEST_OWNER);
      return await host.agent.prompt({ messageId, taskId: "task", parts: [] }, TEST_OWNER);
    };
    return {
      ...opened,
      prompts,
      closed,
      finish: async () => await finishes.at(-1)?.("task"),
      ask: async () => await asks.at(-1)?.("task"),
      prompt,
      find: async () => (await opened.registry.getTask("task", TEST_OWNER)).host,
      async start(messageId: string) {
        const created = { contextId: "context", settings: TEST_SETTINGS };
        const host = await opened.registry.createSession(created, TEST_OWNER);
        return await host.agent.prompt({ messageId, taskId: "task", parts: [] }, TEST_OWNER);
      },
    };
  }

  return {
    open,
    /** Ends the lease of the instance that holds the session, as if it had been killed. */
    endHolder: () =>
      database.query(
        `UPDATE ${schema}.instances SET lease_until = now()
          WHERE id = (SELECT holder FROM ${schema}.sessions)`,
      ),
    query: (sql: string) => database.query(sql.replaceAll("SCHEMA", schema)),
    async [Symbol.asyncDispose]() {
      for (const close of closings.reverse()) await close();
    },
  };
}

test("a prompt at an instance that does not hold the session is handled once, by its holder [SRV-27]", async () => {
  await using stage = openInstances();
  const [creator, holder, other] = [await stage.open(), await stage.open(), await stage.open()];
  await creator.start("m-1");
  await creator.finish();
  await (await creator.find()).giveBack({ isStopping: false });
  await holder.prompt("m-2");

  const tickets = [await other.prompt("m-3"), await other.prompt("m-3")];
  const host = await other.find();
  const direct = await holder.prompt("m-3");

  expect(tickets).toEqual([direct, direct]);
  expect(direct).toMatchObject({ taskId: "task", turn: 1, afterPosition: 3 });
  expect([creator, holder, other].map(({ prompts }) => prompts)).toEqual([
    ["m-1"],
    ["m-2", "m-3"],
    [],
  ]);
  expect([host.isOwned, host.isBusy, host.log.isBusy, host.log.lastPosition]).toEqual([
    false,
    false,
    true,
    4,
  ]);
  expect(other.registry.counters.working).toBe(0);
});

test("a message that arrives again at the instance that created its session is handled once [SRV-27]", async () => {
  await using stage = openInstances();
  const creator = await stage.open();
  await creator.start("m-1");

  const first = await creator.prompt("m-2");
  const again = await creator.prompt("m-2");
  const start = await creator.prompt("m-1");

  expect(again).toEqual(first);
  expect(start).toMatchObject({ taskId: "task", turn: 1 });
  expect(creator.prompts).toEqual(["m-1", "m-2"]);
});

test("a message that arrives twice at its holder at the same time is handled once [SRV-27]", async () => {
  await using stage = openInstances();
  const holder = await stage.open();
  await holder.start("m-1");

  const tickets = await Promise.all([holder.prompt("m-2"), holder.prompt("m-2")]);

  expect(tickets[0]).toEqual(tickets[1]);
  expect(holder.prompts).toEqual(["m-1", "m-2"]);
});

test("a subscriber at another instance gets the events that the holder commits [SRV-27]", async () => {
  await using stage = openInstances();
  const [holder, other] = [await stage.open(), await stage.open()];
  await holder.start("m-1");
  const { log } = await other.find();
  let notified = 0;
  log.subscribers.add(() => {
    notified += 1;
  });

  await holder.finish();
  await expect.poll(() => log.lastPosition).toBe(2);

  expect(notified).toBeGreaterThan(0);
  expect((await log.view("task")).state).toBe("completed");
});

test("a session that is given back is opened by the next instance that needs it [SRV-27]", async () => {
  await using stage = openInstances();
  const [holder, other] = [await stage.open(), await stage.open()];
  await holder.start("m-1");
  const host = await holder.find();

  await host.giveBack({ isStopping: false });
  const whileBusy = host.isOwned;
  await holder.finish();
  await host.giveBack({ isStopping: false });
  const ticket = await other.prompt("m-2");
  await host.refresh();

  expect(host.log.lastPosition).toBe(3);
  expect([whileBusy, host.isOwned]).toEqual([true, false]);
  expect(holder.closed).toEqual(["context"]);
  expect(ticket).toMatchObject({ afterPosition: 2 });
  expect(other.prompts).toEqual(["m-2"]);
  expect((await other.find()).isOwned).toBe(true);
});

test("a session with an open question is given back only by an instance that stops [SRV-27]", async () => {
  await using stage = openInstances();
  const holder = await stage.open();
  await holder.start("m-1");
  await holder.ask();
  const host = await holder.find();

  await host.giveBack({ isStopping: false });
  const whileRunning = host.isOwned;
  await host.giveBack({ isStopping: true });

  expect([whileRunning, host.isOwned, host.log.isClosed]).toEqual([true, false, false]);
});

test("an unused session is given back after the length of a lease [SRV-27]", async () => {
  await using stage = openInstances();
  const holder = await stage.open();
  await holder.start("m-1");
  await holder.finish();
  const host = await holder.find();

  holder.clock.pass(LEASE_MS);
  await expect.poll(() => host.isOwned, { timeout: 60_000 }).toBe(false);
  const closed = holder.closed.slice();
  await holder.prompt("m-2");

  expect(closed).toEqual(["context"]);
  expect([host.isOwned, holder.prompts]).toEqual([true, ["m-1", "m-2"]]);
});

test("the running turn of an instance that has ended is taken over by another one [SRV-27]", async () => {
  await using stage = openInstances();
  const [holder, other] = [await stage.open(), await stage.open()];
  await holder.start("m-1");
  const before = (await other.find()).isOwned;

  await stage.endHolder();
  const host = await other.find();
  await expect.poll(() => host.isOwned, { timeout: 60_000 }).toBe(true);

  expect(before).toBe(false);
  expect(host.log.lastPosition).toBe(1);
});

test("a session in memory can be read while the store does not answer [LOG-07, SRV-27]", async () => {
  await using stage = openInstances();
  const [holder, other] = [await stage.open(), await stage.open()];
  await holder.start("m-1");
  const host = await other.find();
  const { readEvents } = other.store;

  other.store.readEvents = () => Promise.reject(new Error("the store is away"));
  const found = await other.find();
  await expect(host.refresh()).rejects.toThrow("the store is away");
  other.store.readEvents = readEvents;

  expect(found).toBe(host);
  expect(host.log.lastPosition).toBe(1);
});

test("a session whose stored log differs from the log in memory is opened again [SRV-27]", async () => {
  await using stage = openInstances();
  const [holder, other] = [await stage.open(), await stage.open()];
  await holder.start("m-1");
  const before = await other.find();

  // The database has lost the event, as after a restore, and another event has its position.
  await stage.query("UPDATE SCHEMA.events SET epoch = 9");
  await expect.poll(async () => (await other.find()) === before, { timeout: 60_000 }).toBe(false);

  expect((await other.find()).log.lastPosition).toBe(1);
  await expect.poll(() => before.log.isClosed).toBe(true);
});
