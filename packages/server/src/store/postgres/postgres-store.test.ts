import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { SetupError } from "@dt/schema";
import { openDatabase } from "@dt/tooling/postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommitDraft, commitTo } from "../../testing/commit-to.js";
import { event, first, next } from "../../testing/store-checks.js";
import { storeContract } from "../../testing/store-contract.js";
import type { Commit } from "../commit.js";
import type { EventQuery, SessionStore } from "../session-store.js";
import { createAppender } from "./append/append-commits.js";
import { toAppendRows } from "./append/append-rows.js";
import { buildAppend } from "./append/append-statement.js";
import { migrate } from "./database/migrate.js";
import { POSTGRES_MIGRATIONS } from "./database/migrations.js";
import { type Database, openConnections } from "./database/open-connections.js";
import { createPostgresLeases } from "./leases/postgres-leases.js";
import { openPostgresStore, type PostgresStoreOptions } from "./open-postgres-store.js";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

let schemas = 0;

/** Returns an address with a schema of its own, so that a store on it is empty. */
function addressOf(schema?: string): string {
  schemas += 1;
  return `${database.url}?schema=${schema ?? `schema_${schemas}`}`;
}

async function openStore(options: Partial<PostgresStoreOptions> = {}) {
  return await openPostgresStore({ url: addressOf(), ...options });
}

for (const { name, check } of storeContract) {
  test(`Postgres: ${name} [SRV-14, SRV-23]`, async () => {
    const store = await openStore();

    await expect(check(store)).resolves.toBeUndefined();

    await store.close();
  });
}

/** Opens two stores on the same tables, as two instances do. */
async function openPair(options: Partial<PostgresStoreOptions> = {}) {
  const url = addressOf();
  const one = await openPostgresStore({ url, ...options });
  const other = await openPostgresStore({ url, ...options });
  return { url, one, other };
}

test("other instances cannot acquire a session that a live instance holds until it is released", async () => {
  const { one, other } = await openPair();
  await commitTo(one, [first([1])]);
  const held = other.acquire("context");

  await expect(held).rejects.toThrow(
    "the session context is open in another instance; close it there, or wait until the lease of that instance ends",
  );
  expect(await other.listUnfinished()).toEqual([]);
  await one.close();
  expect(await other.listUnfinished()).toEqual(["context"]);
  const lease = await other.acquire("context");

  expect(lease.epoch).toBe(2);
  await other.close();
});

test("a session whose instance does not renew its lease can be taken, and that instance cannot write to it", async () => {
  const url = addressOf();
  const clock = { now: () => new Date(0), elapsedMs: () => 0 };
  // The clock of the first instance stands still, so it does not notice that its lease has ended.
  const paused = await openPostgresStore({ url, clock, leaseMs: 600_000 });
  await commitTo(paused, [first([1])]);
  await database.query(
    `UPDATE ${new URL(url).searchParams.get("schema")}.instances SET lease_until = now()`,
  );
  const other = await openPostgresStore({ url });

  const lease = await other.acquire("context");
  const late = await commitTo(paused, [next([2])]);
  const stored = await commitTo(other, []);

  expect(lease.epoch).toBe(2);
  expect(late.get("context")).toBe("lost");
  expect(stored.size).toBe(0);
  expect((await other.findSession("context"))?.lastPosition).toBe(1);
  await paused.close();
  await other.close();
});

test("an instance loses its sessions when its lease time is over by the monotonic or the wall clock", async () => {
  for (const hand of ["wallMs", "elapsedMs"] as const) {
    const time = { wallMs: 0, elapsedMs: 0 };
    const clock = { now: () => new Date(time.wallMs), elapsedMs: () => time.elapsedMs };
    const store = await openStore({ clock, leaseMs: 600_000 });
    const lease = await store.acquire("context");
    const lost = new Promise((resolve) => lease.lost.addEventListener("abort", resolve));

    time[hand] = 600_000;
    const outcomes = await store.commit([
      {
        ...first([]),
        epoch: lease.epoch,
        number: 1,
        expectedHead: 0,
        events: [],
      },
    ]);
    await lost;

    expect(outcomes.get("context")).toBe("lost");
    await store.close();
  }
});

test("a process that locks the instance file of a killed process takes its sessions at once", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-instance-"));
  const instanceFile = path.join(directory, "instance");
  const url = addressOf();
  const before = await openPostgresStore({ url, instanceFile });
  await commitTo(before, [first([1])]);
  const second = openPostgresStore({ url, instanceFile });
  await expect(second).rejects.toThrow(/is in use by another process/);
  const schema = new URL(url).searchParams.get("schema");
  const [row] = await database.query(`SELECT * FROM ${schema}.instances`);
  await before.close();
  // The row of a process that was killed is still there.
  await database.query(
    `INSERT INTO ${schema}.instances VALUES ('${row?.id}', '${row?.name}', now() + interval '1 h')`,
  );
  await database.query(`UPDATE ${schema}.sessions SET holder = '${row?.id}'`);

  const after = await openPostgresStore({ url, instanceFile });

  expect((await after.acquire("context")).epoch).toBe(2);
  await after.close();
  await rm(directory, { recursive: true, force: true });
});

test("many instances that start at the same time create the tables once", async () => {
  const url = addressOf();

  const stores = await Promise.all([1, 2, 3, 4].map(() => openPostgresStore({ url })));
  await commitTo(stores[0] as SessionStore, [first([1])]);

  expect((await stores[3]?.findSession("context"))?.owner).toBe("alice");
  for (const store of stores) await store.close();
});

test("the tables of a newer dt or of another program are reported and not changed", async () => {
  const url = addressOf("newer");
  await (await openPostgresStore({ url })).close();
  await database.query("UPDATE newer.dt_version SET version = 999");
  await database.query("CREATE SCHEMA theirs; CREATE TABLE theirs.sessions (a integer)");

  await expect(openPostgresStore({ url })).rejects.toThrow(
    /was written by a newer dt \(version 999; this dt knows \d+\); start the newer dt/,
  );
  await expect(openPostgresStore({ url: addressOf("theirs") })).rejects.toThrow(
    /has the tables of another program; choose another schema/,
  );
  const tables = await database.query(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'theirs'",
  );
  expect(tables).toEqual([{ tablename: "sessions" }]);
});

test("a role without the rights it needs is reported with the schema and the missing right", async () => {
  await (await openPostgresStore({ url: addressOf("kept") })).close();
  const role = `reader_${randomUUID().replaceAll("-", "")}`;
  await database.query(
    `CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA kept TO ${role};
    GRANT SELECT ON ALL TABLES IN SCHEMA kept TO ${role}`,
  );
  const addressFor = (schema: string) => {
    const url = new URL(addressOf(schema));
    url.username = role;
    return url.href;
  };

  for (const [schema, reason] of [
    ["fresh", "permission denied for database"],
    ["kept", "permission denied for table instances"],
  ] as const) {
    const failure = await openPostgresStore({ url: addressFor(schema) }).catch((error) => error);
    expect(failure).toBeInstanceOf(SetupError);
    expect(failure.message).toContain(
      `does not have all rights on the schema ${schema} (${reason}`,
    );
  }
  await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
});

test("older tables are migrated, but not while an instance uses them", async () => {
  const url = addressOf("older");
  const live = await openPostgresStore({ url });
  await commitTo(live, [first([1])]);
  const connections = await openConnections({
    url: database.url,
    maxConnections: 1,
    timeoutMs: 60_000,
  });
  const migrations = [
    ...POSTGRES_MIGRATIONS,
    (schema: string) => `ALTER TABLE ${schema}.sessions ADD COLUMN later text`,
  ];
  const move = () => migrate(connections, { schema: "older", migrations });

  await expect(move()).rejects.toThrow(
    /has the tables of an older dt and is in use by .*; stop all instances/,
  );
  await live.close();
  await move();

  expect(await database.query("SELECT later FROM older.sessions")).toEqual([{ later: null }]);
  await expect(openPostgresStore({ url })).rejects.toThrow(/was written by a newer dt/);
  await connections.close();
});

test("a migration that fails is reported with its own error, and changes nothing", async () => {
  const connections = await openConnections({
    url: database.url,
    maxConnections: 1,
    timeoutMs: 60_000,
  });
  const migrations = [
    ...POSTGRES_MIGRATIONS,
    (schema: string) => `ALTER TABLE ${schema}.absent ADD COLUMN later text`,
  ];

  await expect(migrate(connections, { schema: "failed", migrations })).rejects.toThrow(
    'relation "failed.absent" does not exist',
  );

  expect(await connections.query({ text: "SELECT to_regnamespace('failed') AS found" })).toEqual([
    { found: null },
  ]);
  await connections.close();
});

test("if a connection breaks at the start of a transaction, the transaction fails before any work runs [LOG-07]", async () => {
  const { hostname, port } = new URL(database.url);
  let isBroken = false;
  const proxy = createServer((inner) => {
    const outer = connect(Number(port), hostname);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      from.on("error", () => {});
      from.on("close", () => to.destroy());
      from.on("data", (chunk) => (isBroken ? inner.destroy() : to.write(chunk)));
    }
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const connections = await openConnections({
    url: database.url.replace(`:${port}/`, `:${(proxy.address() as AddressInfo).port}/`),
    maxConnections: 1,
    timeoutMs: 60_000,
  });
  const begun: string[] = [];

  isBroken = true;
  const transaction = connections.transact(async () => begun.push("work"));

  await expect(transaction).rejects.toThrow(/cannot be reached \(.*\); nothing is stored until/);
  expect(begun).toEqual([]);
  await connections.close();
  proxy.close();
});

test("an error about the database contains neither its user nor its password", async () => {
  const opening = openPostgresStore({ url: "postgres://ada:secret@127.0.0.1:9/dt" });

  await expect(opening).rejects.toThrow(
    /^the database 127\.0\.0\.1:9\/dt cannot be used: .*; check DT_STORE and start the database$/,
  );
  await expect(opening).rejects.not.toThrow(/ada|secret/);
});

test.each([
  ["mysql://host/db", "DT_STORE: expected an address such as postgres://"],
  ["postgres://ada:secret@host/", "DT_STORE: the address host/ names no database"],
  ["postgres://host/db?schema=a-b", "a-b cannot be the name of a Postgres schema"],
])("the address %s is refused", async (url, message) => {
  await expect(openPostgresStore({ url })).rejects.toThrow(message);
});

test("owners cannot be changed while another instance runs", async () => {
  const { url, one, other } = await openPair();
  const command = await openPostgresStore({ url, servesSessions: false });

  await expect(command.changeOwner("alice", "bob")).rejects.toThrow(/stop all instances/);
  await one.close();
  await other.close();

  expect(await command.changeOwner("alice", "bob")).toBe(0);
  await command.close();
});

test("missing events at the end of a log are found, and named by their first position [LOG-06]", async () => {
  const store = await openPostgresStore({ url: addressOf("shortened") });
  await commitTo(store, [first([1, 2, 3])]);
  await database.query("DELETE FROM shortened.events WHERE position > 1");

  const events = store.readEvents({ contextId: "context", after: 1, limit: 9 });

  await expect(events).rejects.toThrow("events 2: missing");
  await store.close();
});

test("a query for one task finds missing events, but only in the range that it reads [LOG-06]", async () => {
  const store = await openPostgresStore({ url: addressOf("task_gap") });
  await commitTo(store, [first([1, 2, 3, 4])]);
  const { taskId } = event(1);
  const read = (query: Partial<EventQuery>) =>
    store
      .readEvents({ contextId: "context", taskId, after: 0, limit: 9, ...query })
      .then((page) => page.map(({ position }) => position), String);
  const only = [event(1).kind];

  const whole = await read({});
  await database.query("DELETE FROM task_gap.events WHERE position = 3");
  const gap = [
    await read({}),
    await read({ after: 2 }),
    await read({ kinds: { only: ["QUEUE"], upTo: 4 } }),
  ];
  const beside = [
    await read({ limit: 2 }),
    await read({ after: 3 }),
    await read({ kinds: { only, upTo: 2 } }),
    await read({ after: 4 }),
  ];
  await database.query("DELETE FROM task_gap.events");
  const emptied = await read({});

  expect(whole).toEqual([1, 2, 3, 4]);
  for (const fault of [...gap, emptied]) expect(fault).toMatch(/events of the task .*: missing/);
  expect(beside).toEqual([[1, 2], [4], [1, 2], []]);
  await store.close();
});

test("a missing event or journal record closes only its own session [LOG-06]", async () => {
  const faults: unknown[] = [];
  const url = addressOf("damaged");
  const store = await openPostgresStore({ url, onFault: (fault) => faults.push(fault) });
  await commitTo(store, [{ ...first([1, 2, 3]), journal: [{ type: "a" }, { type: "b" }] }]);
  await database.query("DELETE FROM damaged.events WHERE position = 2");
  await database.query("DELETE FROM damaged.journal WHERE number = 2");

  const events = store.readEvents({ contextId: "context", after: 0, limit: 9 });

  await expect(events).rejects.toThrow("events 2: missing");
  await expect(store.readJournal("context")).rejects.toThrow("journal 2: missing");
  expect(await store.check()).toEqual({ damagedSessions: ["context"] });
  expect(faults).toHaveLength(1);
  await store.close();
});

test("an append is one statement, which waits for the disk unless it is only text", async () => {
  const statements: string[] = [];
  const rows = (draft: CommitDraft) => {
    const events = draft.events.map((logged) => ({ ...logged, epoch: 1 }));
    const commit: Commit = { ...draft, events, epoch: 1, number: 2, expectedHead: 0 };
    const head = { position: 0, commitNumber: 1 };
    return toAppendRows([{ contextId: "context", commits: [commit], head }], {
      id: "holder",
      pool: "pool",
    });
  };
  const receipt = {
    user: "alice",
    messageId: "m",
    contextId: "context",
    taskId: "task",
    turn: 1,
    afterPosition: 0,
  };
  const ended = { position: 1, event: { ...event(1), kind: "STATE_CHANGE" as const } };

  for (const draft of [
    next([1]),
    { ...next([1]), isCritical: true },
    { ...next([1]), journal: [{ type: "a" }] },
    { ...next([1]), receipt },
    { ...next([]), events: [ended] },
    { ...first([1]) },
  ])
    statements.push(buildAppend("dt", rows(draft)).text);

  expect(statements.map((text) => text.includes("'synchronous_commit', 'off'"))).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("when the lease time is over, all sessions are lost, and they can be acquired again", async () => {
  const time = { ms: 0 };
  const clock = { now: () => new Date(time.ms), elapsedMs: () => time.ms };
  const faults: unknown[] = [];
  const store = await openStore({
    clock,
    leaseMs: 600_000,
    onFault: (fault) => faults.push(fault),
  });
  const leases = [await store.acquire("a"), await store.acquire("b")];

  time.ms = 600_000;
  await expect(store.check()).rejects.toMatchObject({
    message: expect.stringContaining("was not renewed in time"),
  });
  await expect.poll(() => leases.map(({ lost }) => lost.aborted)).toEqual([true, true]);
  await expect.poll(() => store.check().then(() => "live", String)).toBe("live");

  expect(faults).toHaveLength(1);
  expect((await store.acquire("a")).lost.aborted).toBe(false);
  await store.close();
});

test("a store that serves no sessions needs no lease to be healthy", async () => {
  const time = { ms: 0 };
  const clock = { now: () => new Date(time.ms), elapsedMs: () => time.ms };
  const store = await openStore({ clock, leaseMs: 600_000, servesSessions: false });
  time.ms = 600_000;

  expect(await store.check()).toEqual({ damagedSessions: [] });

  await store.close();
});

test("a closed store refuses checks, commits and leases, and can be closed again", async () => {
  const store = await openStore();
  await store.close();
  await store.close();

  for (const work of [store.check(), store.commit([]), store.acquire("context")])
    await expect(work).rejects.toThrow("the store is closed");
});

/** Opens an appender on a database whose next statement a test can break. */
async function openBreakableAppender() {
  const url = addressOf();
  const schema = new URL(url).searchParams.get("schema") ?? "";
  await (await openPostgresStore({ url })).close();
  const connections = await openConnections({
    url: database.url,
    maxConnections: 2,
    timeoutMs: 60_000,
  });
  const stage = {
    breaks: undefined as "before" | "after" | undefined,
    isAway: false,
    isLive: true,
    /** Number of waits after which the store closes. */
    maxWaits: 100,
    waits: [] as number[],
    sent: 0,
    /** The setting `synchronous_commit` in each transaction that was sent. */
    modes: [] as unknown[],
    error: Object.assign(new Error("the connection broke"), { code: "ECONNRESET" }),
  };
  const broken: Database = {
    ...connections,
    async query(statement) {
      if (stage.isAway) throw stage.error;
      return await connections.query(statement);
    },
    async execute(statement) {
      const { breaks } = stage;
      stage.breaks = undefined;
      stage.sent += 1;
      if (breaks === "before") throw stage.error;
      const rows = await connections.transact(async (run) => {
        const written = await run(statement);
        const [mode] = await run({ text: "SHOW synchronous_commit" });
        stage.modes.push(mode?.synchronous_commit);
        return written;
      });
      if (breaks === "after") throw stage.error;
      return rows;
    },
  };
  const instance = {
    id: randomUUID(),
    isLive: () => stage.isLive,
    join: async () => {},
  };
  const leases = createPostgresLeases({
    database: broken,
    schema,
    instance,
    pool: "pool",
    onReleased() {},
  });
  const append = createAppender({
    database: broken,
    schema,
    instance,
    pool: "pool",
    leases,
    onStored() {},
    async wait(attempt) {
      stage.waits.push(attempt);
      if (stage.waits.length > stage.maxWaits) throw new Error("the store closes");
      if (stage.waits.length === 3 && stage.maxWaits === 100) stage.isAway = false;
    },
  });
  const { epoch, release } = await leases.acquire("context");
  const commitOf = (draft: CommitDraft, number: number): Commit => ({
    ...draft,
    epoch,
    number,
    expectedHead: (draft.events[0]?.position ?? 1) - 1,
    events: draft.events.map((logged) => ({ ...logged, epoch })),
  });
  return Object.assign(stage, {
    append: async (draft: CommitDraft, number: number) =>
      (await append([commitOf(draft, number)])).get("context"),
    ...leases,
    schema,
    release,
    count: async () => (await database.query(`SELECT * FROM ${schema}.events`)).length,
    [Symbol.asyncDispose]: () => connections.close(),
  });
}

test.each([
  ["before", 2],
  ["after", 1],
] as const)(
  "an append is stored once, even if its connection breaks %s it was stored [SRV-23]",
  async (breaks, sent) => {
    await using stage = await openBreakableAppender();

    stage.breaks = breaks;
    const outcome = await stage.append(first([1, 2]), 1);
    const head = stage.heads.get("context");

    expect([outcome, stage.sent, await stage.count()]).toEqual(["stored", sent, 2]);
    expect(head).toEqual({ epoch: 1, commitNumber: 1, position: 2 });
  },
);

test("after a broken append, the database is asked until it answers [SRV-23]", async () => {
  await using stage = await openBreakableAppender();
  await stage.append(first([1]), 1);

  stage.breaks = "after";
  stage.isAway = true;
  const outcome = await stage.append(next([2]), 2);

  expect([outcome, stage.waits, stage.sent]).toEqual(["stored", [0, 1, 2], 2]);
  expect(await stage.count()).toBe(2);
});

test("the outcome of a broken append is unknown if the store closes or its lease ends first", async () => {
  await using closing = await openBreakableAppender();
  await using expiring = await openBreakableAppender();
  for (const stage of [closing, expiring]) {
    await stage.append(first([1]), 1);
    stage.breaks = "before";
    stage.isAway = true;
  }
  closing.maxWaits = 2;
  expiring.isLive = false;

  expect(await closing.append(next([2]), 2)).toBe("unknown");
  expect(await expiring.append(next([2]), 2)).toBe("unknown");
  expect([closing.waits, expiring.waits]).toEqual([[0, 1, 2], []]);
});

test("a commit that is stored after the lease time is over counts as lost, and starts no work", async () => {
  await using stage = await openBreakableAppender();
  await stage.append(first([1]), 1);

  stage.isLive = false;

  expect(await stage.append(next([2]), 2)).toBe("lost");
  expect(stage.heads.has("context")).toBe(false);
});

test("an append that the server refuses is not sent again [LOG-07]", async () => {
  await using stage = await openBreakableAppender();
  stage.error = Object.assign(new Error("no space left"), { code: "53100" });
  stage.breaks = "before";

  await expect(stage.append(first([1]), 1)).rejects.toMatchObject({ data: { store: "disk-full" } });
  expect([stage.sent, await stage.count()]).toEqual([1, 0]);
});

test("a release that did not reach the database is repeated when the lease is renewed [SRV-23]", async () => {
  await using stage = await openBreakableAppender();
  await stage.append(first([1]), 1);
  const holders = async () =>
    (await database.query(`SELECT holder FROM ${stage.schema}.sessions`)).map((row) => row.holder);

  stage.isAway = true;
  await stage.release();
  await stage.release();
  stage.retryReleases();
  await new Promise(setImmediate);
  const whileAway = await holders();
  stage.isAway = false;
  stage.retryReleases();

  await expect.poll(holders).toEqual([null]);
  expect(whileAway).toEqual([expect.any(String)]);
  expect(stage.heads.has("context")).toBe(false);
});

test("a session is opened once at a time, and can be taken over when its opening has ended", async () => {
  await using stage = await openBreakableAppender();

  const opening = stage.acquire("other");
  await expect(stage.acquire("other")).rejects.toThrow("the session other is being opened already");
  await expect(stage.acquire("context")).rejects.toThrow("is open already");
  const lease = await opening;
  const taken = await stage.acquire("other", { takesOver: true });

  expect([lease.epoch, lease.lost.aborted, taken.epoch]).toEqual([1, true, 2]);
});

test("a page ends with the event that fills its bytes, and begins after the given position", async () => {
  const store = await openStore();
  await commitTo(store, [first([1, 2, 3, 4])]);
  const size = Buffer.byteLength(JSON.stringify(event(1)));
  const read = async (after: number, maxBytes: number, limit = 9) =>
    (await store.readEvents({ contextId: "context", after, limit, maxBytes })).map(
      ({ position }) => position,
    );

  expect(await read(0, 1)).toEqual([1]);
  expect(await read(1, size)).toEqual([2]);
  expect(await read(1, size + 1)).toEqual([2, 3]);
  expect(await read(0, 100 * size)).toEqual([1, 2, 3, 4]);
  expect(await read(0, 100 * size, 2)).toEqual([1, 2]);
  expect(await read(4, 1)).toEqual([]);
  await store.close();
});

test("only a commit of nothing but text is stored without a wait for the disk [LOG-01]", async () => {
  await using stage = await openBreakableAppender();

  await stage.append(first([1]), 1);
  await stage.append(next([2]), 2);
  await stage.append({ ...next([3]), isCritical: true }, 3);

  expect(stage.modes).toEqual(["on", "off", "on"]);
});

test("a database that accepts no writes makes the check of a store fail [SRV-16]", async () => {
  const url = addressOf("replica");
  await (await openPostgresStore({ url })).close();
  const replica = new URL(url);
  replica.searchParams.set("options", "-c default_transaction_read_only=on");
  const store = await openPostgresStore({ url: replica.href, servesSessions: false });

  await expect(store.check()).rejects.toMatchObject({
    kind: "store-gone",
    message: expect.stringContaining("it accepts no writes; DT_STORE must name the primary server"),
  });
  await store.close();
});

test("a row that is not JSON is named, and closes only its session [LOG-06]", async () => {
  const url = addressOf("not_json");
  const faults: { readonly contextId?: string | undefined }[] = [];
  const store = await openPostgresStore({ url, onFault: (fault) => faults.push(fault) });
  await commitTo(store, [{ ...first([1, 2]), journal: [{ type: "a" }] }]);
  const all = { contextId: "context", after: 0, limit: 9 };
  await database.query("UPDATE not_json.events SET event = '{' WHERE position = 2");
  await database.query("UPDATE not_json.journal SET record = '{'");

  await expect(store.readEvents(all)).rejects.toThrow("events 2: not JSON");
  await expect(store.readEvents({ ...all, taskId: "task" })).rejects.toThrow("events 2: not JSON");
  await expect(store.readJournal("context")).rejects.toThrow("journal 1: not JSON");
  await database.query("UPDATE not_json.sessions SET settings = '{'");
  await expect(store.findSession("context")).rejects.toThrow("sessions context: not JSON");
  await database.query("DELETE FROM not_json.journal");
  await expect(store.readJournal("context")).rejects.toThrow("journal 1: missing");

  expect(faults.map(({ contextId }) => contextId)).toEqual(["context"]);
  await store.deleteSession("context");
  expect(await store.check()).toEqual({ damagedSessions: [] });
  await store.close();
});

test("a store that cannot be opened leaves its instance file free [SRV-23]", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-unopened-"));
  const instanceFile = path.join(directory, "instance");
  await database.query("CREATE SCHEMA foreign_tables; CREATE TABLE foreign_tables.a (b integer)");

  for (const url of ["postgres://127.0.0.1:9/dt", addressOf("foreign_tables")]) {
    await expect(openPostgresStore({ url, instanceFile })).rejects.toThrow(/^the database /);
  }
  const store = await openStore({ instanceFile });
  await store.close();
  const again = await openStore({ instanceFile });

  expect(await again.check()).toEqual({ damagedSessions: [] });
  await again.close();
  await rm(directory, { recursive: true, force: true });
});
