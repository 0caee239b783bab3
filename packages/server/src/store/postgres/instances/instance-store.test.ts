import type { Caller } from "@dt/schema";
import { openDatabase } from "@dt/tooling/postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commitTo } from "../../../testing/commit-to.js";
import { first, next } from "../../../testing/store-checks.js";
import type { InboxRequest, InstanceStore } from "../../instances/instance-store.js";
import { openPostgresStore, type PostgresStoreOptions } from "../open-postgres-store.js";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

const caller: Caller = { user: "ada", name: "ada", role: "admin", credential: "client:1" };
const prompt: InboxRequest = {
  contextId: "context",
  caller,
  request: { type: "prompt", messageId: "m", taskId: "task", parts: [], digest: "d" },
};
const cancel: InboxRequest = {
  contextId: "context",
  caller,
  request: { type: "cancel", taskId: "task" },
};
const ticket = { taskId: "task", turn: 1, afterPosition: 1 };
const reply = { type: "ticket", ticket } as const;

let schemas = 0;

/** Opens two stores on the same tables. The first one holds the session. */
async function openPair(options: Partial<PostgresStoreOptions> = {}) {
  schemas += 1;
  const schema = `shared_${schemas}`;
  const open = async (more: Partial<PostgresStoreOptions> = {}) => {
    const store = await openPostgresStore({
      url: `${database.url}?schema=${schema}`,
      pool: "pool",
      ...more,
    });
    if (store.instances === undefined) throw new Error("the store has no instances");
    return { store, instances: store.instances };
  };
  const [holder, other] = [await open(), await open(options)];
  await commitTo(holder.store, [first([1])]);
  return {
    holder,
    other,
    open,
    /** Ends the lease of the first instance, as if it had been killed. */
    endHolder: () =>
      database.query(
        `UPDATE ${schema}.instances SET lease_until = now()
          WHERE id = (SELECT holder FROM ${schema}.sessions)`,
      ),
    async [Symbol.asyncDispose]() {
      await holder.store.close();
      await other.store.close();
    },
  };
}

const idsOf = (claimed: Awaited<ReturnType<InstanceStore["inbox"]["claim"]>>) =>
  claimed.map(({ id }) => id);

test("a request waits for the holder of its session, and the reply waits for the sender", async () => {
  await using pair = await openPair();
  const { holder, other } = pair;

  const id = await other.instances.inbox.add(prompt);
  const elsewhere = await other.instances.inbox.claim();
  const before = await other.instances.inbox.readState(id);
  const claimed = await holder.instances.inbox.claim();
  const during = await other.instances.inbox.readState(id);
  const withdrawn = await other.instances.inbox.withdraw(id);
  await holder.instances.inbox.answer(id, reply);
  const after = await other.instances.inbox.readState(id);
  await other.instances.inbox.remove(id);

  expect([elsewhere, claimed]).toEqual([[], [{ ...prompt, id }]]);
  expect([before, during, withdrawn]).toEqual([{ type: "waiting" }, { type: "claimed" }, false]);
  expect(after).toEqual({ type: "answered", reply });
  expect(await other.instances.inbox.readState(id)).toEqual({ type: "gone" });
});

test("a message that waits already is not stored again, and another message with its id is refused", async () => {
  await using pair = await openPair();
  const { inbox } = pair.other.instances;

  const id = await inbox.add(prompt);
  const again = await pair.holder.instances.inbox.add(prompt);
  const changed = { ...prompt, request: { ...prompt.request, digest: "other" } } as InboxRequest;

  expect(again).toBe(id);
  await expect(inbox.add(changed)).rejects.toMatchObject({ code: "agent-busy" });
});

test("when a holder has ended, the next holder claims its messages again, but not its other requests", async () => {
  await using pair = await openPair();
  const { inbox } = pair.other.instances;
  const [message, other] = [await inbox.add(prompt), await inbox.add(cancel)];
  const claimed = idsOf(await pair.holder.instances.inbox.claim());

  await pair.endHolder();
  const again = idsOf(await inbox.claim());
  const isWithdrawn = await inbox.withdraw(other);

  expect([claimed, again, isWithdrawn]).toEqual([[message, other], [message], true]);
});

test("a request for a session without a holder waits for an instance of the session's pool", async () => {
  await using pair = await openPair({ pool: "elsewhere" });
  const { other } = pair;
  await pair.endHolder();
  const id = await other.instances.inbox.add(prompt);

  const elsewhere = await other.instances.inbox.claim();
  const refused = other.store.acquire("context");
  await expect(refused).rejects.toThrow("the session context is open in another instance");
  const { store, instances } = await pair.open();
  const claimed = idsOf(await instances.inbox.claim());
  await instances.inbox.unclaim(id);
  const back = await other.instances.inbox.readState(id);

  expect([elsewhere, claimed, back]).toEqual([[], [id], { type: "waiting" }]);
  expect([await other.store.listUntouched("3000"), await store.listUntouched("3000")]).toEqual([
    [],
    [],
  ]);
  expect([await other.store.listUnfinished(), await store.listUnfinished()]).toEqual([
    [],
    ["context"],
  ]);
  await store.close();
});

test("the commit of a message also stores the reply to its request, unless the commit is lost", async () => {
  await using pair = await openPair();
  const { holder, other } = pair;
  const id = await other.instances.inbox.add(prompt);
  const late = await other.instances.inbox.add(cancel);

  await commitTo(holder.store, [{ ...next([2]), answered: { requestId: id, reply } }]);
  await other.store.acquire("context", { takesOver: true });
  await commitTo(holder.store, [{ ...next([3]), answered: { requestId: late, reply } }]);

  expect(await other.instances.inbox.readState(id)).toEqual({ type: "answered", reply });
  expect(await other.instances.inbox.readState(late)).toEqual({ type: "waiting" });
});

test("a session is not created if another session has accepted its first message", async () => {
  await using pair = await openPair();
  const receipt = { user: "ada", messageId: "m", digest: "d", ...ticket };
  const create = (contextId: string) => {
    const [draft] = [first([1])];
    const events = draft.events.map(({ position, event }) => ({
      position,
      event: { ...event, taskId: contextId },
    }));
    const session = { ...draft.session, contextId } as NonNullable<typeof draft.session>;
    return { ...draft, contextId, events, session, receipt: { ...receipt, contextId } };
  };

  const outcomes = await Promise.all([
    commitTo(pair.holder.store, [create("one")]),
    commitTo(pair.other.store, [create("two")]),
  ]);

  const all = outcomes.flatMap((each) => [...each.values()]).sort();
  const winner = (await pair.holder.store.findReceipt("ada", "m"))?.contextId;
  expect(all).toEqual(["lost", "stored"]);
  const loser = winner === "one" ? "two" : "one";
  expect(await pair.holder.store.findSession(loser)).toBeUndefined();
});

test("a watcher is woken by the commits of another instance, and gets the head from polls", async () => {
  await using pair = await openPair();
  const heads: (number | undefined)[] = [];
  let woken = 0;
  const unwatch = pair.other.instances.watch("context", {
    isNeeded: true,
    onWake() {
      woken += 1;
    },
    onPoll: (lastPosition) => void heads.push(lastPosition),
  });
  // The connections for notifications open in the background, so the first commits may be found only by polls.
  let position = 1;
  const commitAndCount = async () => {
    position += 1;
    await commitTo(pair.holder.store, [next([position])]);
    return woken;
  };

  await expect.poll(commitAndCount, { timeout: 600_000 }).toBeGreaterThan(1);
  await expect.poll(() => heads.at(-1), { timeout: 600_000 }).toBe(position);
  unwatch();
});

test("a credential is alive until its instance withdraws it, or its lease ends", async () => {
  await using pair = await openPair();
  const { holder, other } = pair;

  await holder.instances.credentials.publish("client:1");
  await holder.instances.credentials.publish("client:2");
  const known = await other.instances.credentials.findAlive(["client:1", "client:2", "client:3"]);
  await other.instances.credentials.withdraw(["client:1"]);
  await holder.instances.credentials.withdraw(["client:2"]);
  const left = await other.instances.credentials.findAlive(["client:1", "client:2"]);
  await pair.endHolder();

  expect([[...known].sort(), left]).toEqual([["client:1", "client:2"], ["client:1"]]);
  expect(await other.instances.credentials.findAlive(["client:1"])).toEqual([]);
});

test("one instance at a time attempts a delivery, and older progress does not move the config back", async () => {
  await using pair = await openPair();
  const target = {
    url: "http://h/",
    version: "1.0",
    developmentTool: false,
    session: false,
  } as const;
  const progress = { after: 1, isTaskDue: false, attempts: 0, failures: 0, hasGivenUp: false };
  const push = {
    taskId: "task",
    configId: "config",
    contextId: "context",
    revision: "1",
    target: { ...target, allEvents: true },
    progress,
  };
  const [one, two] = [pair.holder.store, pair.other.store];
  await one.savePush(push, { maxPerTask: 9 });
  const begun = { ...progress, attempts: 1 };

  const first = await one.notePush(push, begun, { ms: 600_000 });
  const second = await two.notePush(push, begun, { ms: 600_000 });
  const note = await two.notePush(push, progress);
  const delivered = await one.notePush(push, { ...progress, after: 2 });
  const stale = await two.notePush(push, begun, { ms: 600_000 });
  const back = await two.notePush(push, progress);

  expect([first, second, note, delivered, stale, back]).toEqual([
    true,
    false,
    false,
    true,
    false,
    true,
  ]);
  expect((await two.listPushes("task"))[0]?.progress.after).toBe(2);
});

test("an instance is notified when another one gives a session back, and not of its commits [SRV-27]", async () => {
  await using pair = await openPair();
  const { holder, other } = pair;
  let releases = 0;
  let wakes = 0;
  other.instances.subscribeToReleases(() => {
    releases += 1;
  });
  other.instances.watch("context", {
    isNeeded: false,
    onWake: () => {
      wakes += 1;
    },
    onPoll() {},
  });
  let position = 1;
  const untilWoken = async () => {
    wakes = 0;
    // A key is lost while an instance has no connection, so each poll commits again.
    const commitAndCount = async () => {
      position += 1;
      await commitTo(holder.store, [next([position])]);
      return wakes;
    };
    await expect.poll(commitAndCount, { timeout: 60_000 }).toBeGreaterThan(0);
  };
  // The first wake-up may say that all keys may have been missed, because the connection is new.
  await untilWoken();
  releases = 0;
  await untilWoken();
  const lease = await holder.store.acquire("context", { takesOver: true });
  const before = releases;

  await lease.release();
  await expect.poll(() => releases, { timeout: 60_000 }).toBe(1);

  expect(before).toBe(0);
});
