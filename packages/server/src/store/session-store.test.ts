import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { type CommitDraft, commitTo } from "../testing/commit-to.js";
import { leaseContract } from "../testing/lease-contract.js";
import { first, next } from "../testing/store-checks.js";
import { storeContract } from "../testing/store-contract.js";
import type { GrantRecord } from "./grant-store.js";
import { openMemoryStore } from "./memory/open-memory-store.js";
import type { PushRecord } from "./push-record.js";
import type { SessionStore } from "./session-store.js";
import { MIGRATIONS } from "./sqlite/database/schema.js";
import { scanRows } from "./sqlite/integrity/scan-rows.js";
import { openSqliteStore } from "./sqlite/open-sqlite-store.js";
import type { TokenRecord } from "./token-store.js";

function openTempFile() {
  const directory = mkdtempSync(path.join(tmpdir(), "dt-store-"));
  return {
    file: path.join(directory, "deep", "store.db"),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

const commit = (contextId: string): CommitDraft => ({
  contextId,
  events: [],
  journal: [],
  isCritical: false,
});

const sessionOf = (contextId: string) => ({
  contextId,
  owner: "alice",
  settings: { workspacePath: "/", allowedTools: [], mcpServers: {} },
  createdAt: "",
});

const push: PushRecord = {
  taskId: "task",
  configId: "config",
  contextId: "context",
  revision: "1",
  target: {
    url: "https://example.com/",
    version: "1.0",
    developmentTool: false,
    session: false,
    allEvents: false,
  },
  progress: { after: 0, isTaskDue: false, attempts: 0, failures: 0, hasGivenUp: false },
};

/** Creates a database file of version 1. */
async function writeVersionOne(file: string): Promise<void> {
  mkdirSync(path.dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec(`${MIGRATIONS[0]}; PRAGMA user_version = 1;
    INSERT INTO sessions VALUES ('context', 'alice', '{}', '2026-01-01T00:00:00Z', 3);
    INSERT INTO tasks VALUES ('first', 'context', 'alice', 'completed', 1);
    INSERT INTO tasks VALUES ('second', 'context', 'alice', 'working', 3);`);
  const insert = database.prepare("INSERT INTO events VALUES ('context', ?, ?, ?)");
  insert.run(1, "first", JSON.stringify({ at: "2026-01-01T00:00:01Z" }));
  const prompt = { kind: "USER_PROMPT", parts: [{ type: "text", text: " hello " }] };
  insert.run(2, "second", JSON.stringify({ ...prompt, at: "2026-01-01T00:00:02Z" }));
  insert.run(3, "second", JSON.stringify({ at: "2026-01-01T00:00:03Z" }));
  database.close();
}

for (const { name, check } of storeContract) {
  test(`memory: ${name} [SRV-14]`, async () => {
    await expect(check(openMemoryStore())).resolves.toBeUndefined();
  });

  test(`SQLite: ${name} [SRV-14, SRV-23]`, async () => {
    using temp = openTempFile();
    const store = openSqliteStore({ file: temp.file });

    await expect(check(store)).resolves.toBeUndefined();

    await store.close();
  });
}

for (const { name, check } of leaseContract) {
  test(`shared SQLite: ${name} [SRV-14]`, async () => {
    using temp = openTempFile();
    const store = openSqliteStore({ file: temp.file, isShared: true });

    await expect(check(store)).resolves.toBeUndefined();

    await store.close();
  });
}

const token: TokenRecord = {
  id: "id",
  user: "alice",
  name: "laptop",
  role: "admin",
  digest: "",
  createdAt: "",
};

const grant: GrantRecord = {
  id: "grant",
  contextId: "context",
  user: "bob",
  role: "prompt",
  digest: "",
  linkId: "",
  createdAt: "",
  expiresAt: "",
};

/** Calls of every method of a store except `close`. */
const calls: Record<
  Exclude<keyof SessionStore, "close" | "instances">,
  (store: SessionStore) => Promise<unknown>
> = {
  check: (store) => store.check(),
  commit: (store) => store.commit([]),
  acquire: (store) => store.acquire("context"),
  findSession: (store) => store.findSession("context"),
  listSessions: (store) => store.listSessions({ owner: "alice", limit: 1 }),
  findTask: (store) => store.findTask("task"),
  listTasks: (store) => store.listTasks({ owner: "alice", limit: 1 }),
  countTasks: (store) => store.countTasks(),
  findReceipt: (store) => store.findReceipt("alice", "message"),
  readEvents: (store) => store.readEvents({ contextId: "context", after: 0, limit: 1 }),
  readJournal: (store) => store.readJournal("context"),
  findView: (store) => store.findView("task"),
  saveView: (store) =>
    store.saveView({ taskId: "task", contextId: "context", position: 1, json: "{}" }),
  listUnfinished: (store) => store.listUnfinished(),
  listUntouched: (store) => store.listUntouched(""),
  deleteSession: (store) => store.deleteSession("context"),
  savePush: (store) => store.savePush(push, { maxPerTask: 1 }),
  listPushes: (store) => store.listPushes("task"),
  deletePush: (store) => store.deletePush(push),
  notePush: (store) => store.notePush(push, push.progress),
  claimPushes: (store) => store.claimPushes({ now: "", limit: 1 }),
  countWaitingPushes: (store) => store.countWaitingPushes(),
  resumePushes: (store) => store.resumePushes(""),
  changeOwner: (store) => store.changeOwner("alice", "bob"),
  createToken: (store) => store.createToken(token),
  findTokens: (store) => store.findTokens(["id"]),
  listTokens: (store) => store.listTokens(),
  reserveBudget: (store) =>
    store.reserveBudget({
      id: "call",
      accounts: [{ account: "day" }],
      input: { tokens: 1, nanos: 1 },
      leastOutput: 1,
      mostOutput: 1,
      outputNanos: 0,
      at: "2026-01-01T00:00:00.000Z",
    }),
  settleBudget: (store) => store.settleBudget("call", { tokens: 0, nanos: 0 }),
  readBudgets: (store) => store.readBudgets(["day"]),
  revokeToken: (store) => store.revokeToken(token, ""),
  noteTokenUse: (store) => store.noteTokenUse("id", ""),
  createGrant: (store) => store.createGrant(grant, { maxPerSession: 1 }),
  findGrant: (store) => store.findGrant("grant"),
  findGrants: (store) => store.findGrants([grant], ""),
  hadGrant: (store) => store.hadGrant(grant),
  listGrants: (store) => store.listGrants("context", ""),
  listGrantsOf: (store) => store.listGrantsOf("bob", ""),
  revokeGrant: (store) => store.revokeGrant(grant, ""),
  addAudit: (store) => store.addAudit([], { maxRecords: 1 }),
  readAudit: (store) => store.readAudit({ since: "", limit: 1 }),
  listActive: (store) => store.listActive(""),
};

test.each(Object.entries(calls))(
  "the method %s rejects after the store was closed",
  async (_name, call) => {
    using temp = openTempFile();
    for (const store of [openMemoryStore(), openSqliteStore({ file: temp.file })]) {
      await call(store);
      await store.close();

      await expect(call(store)).rejects.toMatchObject({ message: "the store is closed" });
    }
  },
);

test("the lock file of a session is deleted if its lease could not be acquired", async () => {
  using temp = openTempFile();
  const store = openSqliteStore({ file: temp.file, isShared: true, watchMs: 60_000 });
  const { epoch, release } = await store.acquire("a");
  const created = { ...commit("a"), session: sessionOf("a"), events: [] };
  await store.commit([{ ...created, epoch, number: 1, expectedHead: 0 }]);
  await release();

  rmSync(`${temp.file}-shm`);
  await expect(store.acquire("a")).rejects.toMatchObject({ kind: "store-gone" });

  const files = readdirSync(path.dirname(temp.file));
  expect(files.filter((name) => name.endsWith(".lock"))).toEqual([]);
  await store.close();
});

test("after the files were deleted, the first commit with a receipt is refused", async () => {
  using temp = openTempFile();
  const store = openSqliteStore({ file: temp.file, watchMs: 60_000 });
  await commitTo(store, [first([1])]);
  const receipt = {
    user: "alice",
    messageId: "message",
    contextId: "context",
    taskId: "task",
    turn: 1,
    afterPosition: 0,
  };

  rmSync(path.dirname(temp.file), { recursive: true });
  await commitTo(store, [next([2])]);

  await expect(commitTo(store, [{ ...next([3]), receipt }])).rejects.toMatchObject({
    kind: "store-gone",
  });
  await store.close();
});

test("two stores on a shared file can each commit to the sessions that they acquired", async () => {
  using temp = openTempFile();
  const [one, other] = [1, 2].map(() => openSqliteStore({ file: temp.file, isShared: true }));
  if (one === undefined || other === undefined) throw new Error("no stores");
  const lease = await one.acquire("a/../b");
  const { epoch } = lease;
  const created = { ...commit("a/../b"), session: sessionOf("a/../b"), events: [] };
  await one.commit([{ ...created, epoch, number: 1, expectedHead: 0 }]);
  await commitTo(other, [{ ...commit("c"), session: sessionOf("c") }]);

  await expect(other.acquire("a/../b")).rejects.toThrow(
    "the session a/../b is open in another process",
  );
  expect((await other.findSession("a/../b"))?.owner).toBe("alice");
  expect((await one.findSession("c"))?.owner).toBe("alice");
  await lease.release();
  await one.close();
  await (await other.acquire("a/../b")).release();
  const left = () => readdirSync(path.dirname(temp.file)).filter((name) => name.endsWith(".lock"));
  await (await other.acquire("c", { takesOver: true })).release();
  expect(left()).toEqual([]);
  await other.close();
});

test("a store cannot commit to a session that another store has taken over", async () => {
  using temp = openTempFile();
  const [one, other] = [1, 2].map(() => openSqliteStore({ file: temp.file, isShared: true }));
  if (one === undefined || other === undefined) throw new Error("no stores");
  const step = ({ epoch }: { readonly epoch: number }, number: number) => {
    const fence = { epoch, number, expectedHead: 0, events: [] };
    return { ...commit("a"), ...fence, journal: [{ type: `step ${number}` }] };
  };
  const first = await one.acquire("a");
  await one.commit([{ ...step(first, 1), session: sessionOf("a") }]);

  const second = await other.acquire("a", { takesOver: true });
  const stored = await other.commit([step(second, 2)]);
  const lost = await one.commit([step(first, 2)]);

  expect([...stored, ...lost]).toEqual([
    ["a", "stored"],
    ["a", "lost"],
  ]);
  expect(first.lost.aborted).toBe(true);
  expect(await one.readJournal("a")).toEqual([{ type: "step 1" }, { type: "step 2" }]);
  await one.close();
  await other.close();
});

test("a session that is not stored yet cannot be taken over from another process", async () => {
  using temp = openTempFile();
  const one = openSqliteStore({ file: temp.file, isShared: true });
  const other = openSqliteStore({ file: temp.file, isShared: true });
  await one.acquire("new");

  await expect(other.acquire("new", { takesOver: true })).rejects.toThrow(
    "the session new is open in another process",
  );

  await one.close();
  await other.close();
});

test("a failed takeover leaves the lock of the first lease in place", async () => {
  using temp = openTempFile();
  const store = openSqliteStore({ file: temp.file, isShared: true, watchMs: 60_000 });
  await commitTo(store, [{ ...commit("a"), session: sessionOf("a") }]);
  const locks = () => readdirSync(path.dirname(temp.file)).filter((name) => name.endsWith(".lock"));

  rmSync(`${temp.file}-shm`);
  const takeover = store.acquire("a", { takesOver: true });

  await expect(takeover).rejects.toMatchObject({ kind: "store-gone" });
  expect(locks()).toHaveLength(1);
  await store.close();
});

test("a session that another process has deleted can be created again", async () => {
  using temp = openTempFile();
  const one = openSqliteStore({ file: temp.file, isShared: true });
  const other = openSqliteStore({ file: temp.file, isShared: true });
  const created = { ...first([]), events: [], number: 1, expectedHead: 0 };
  const create = async () => {
    const { epoch, release } = await one.acquire("context");
    const events = first([1]).events.map((logged) => ({ ...logged, epoch }));
    await one.commit([{ ...created, epoch, events }]);
    await release();
  };
  await create();

  await other.deleteSession("context");
  await create();

  expect(await other.findTask("task")).toMatchObject({ lastPosition: 1 });
  await one.close();
  await other.close();
});

test("a session that is not stored yet can be acquired while another program locks the file", async () => {
  using temp = openTempFile();
  const store = openSqliteStore({ file: temp.file });
  const program = new DatabaseSync(temp.file);
  program.exec("BEGIN IMMEDIATE");

  const lease = await store.acquire("new");

  expect(lease.epoch).toBe(1);
  program.close();
  await store.close();
});

test.each([
  ["empties SQLite's write-ahead log if the file is not shared", false],
  ["keeps SQLite's write-ahead log if the file is shared", true],
])("closing a store %s", async (_what, isShared) => {
  using temp = openTempFile();
  const store = openSqliteStore({ file: temp.file, isShared });
  // While another program has the file open, SQLite does not delete the write-ahead log.
  const program = new DatabaseSync(temp.file);
  program.exec("SELECT count(*) FROM sessions");
  await commitTo(store, [{ ...commit("a"), session: sessionOf("a") }]);

  await store.close();
  const { size } = statSync(`${temp.file}-wal`);
  program.close();

  expect(size > 0).toBe(isShared);
});

test("a shared store does not need the lock file that an unshared store has left", async () => {
  using temp = openTempFile();
  await openSqliteStore({ file: temp.file }).close();
  const store = openSqliteStore({ file: temp.file, isShared: true });

  rmSync(`${temp.file}.lock`);

  expect(await store.check()).toEqual({ damagedSessions: [] });
  await store.close();
});

/** Starts another program that locks a file until a test releases it. */
async function holdFile(file: string) {
  const script = `
    const database = new (require("@photostructure/sqlite").DatabaseSync)(process.argv[1]);
    database.exec("BEGIN IMMEDIATE");
    process.stdout.write("held");
    process.stdin.once("data", (ms) => setTimeout(() => {
      database.exec("ROLLBACK");
      process.exit();
    }, Number(ms)));`;
  const holder = spawn(process.execPath, ["-e", script, file], { cwd: import.meta.dirname });
  await once(holder.stdout, "data");
  return {
    letGoAfter: (ms: number) => void holder.stdin.write(String(ms)),
    gone: once(holder, "exit"),
  };
}

test("a commit waits for another program that locks the file for a moment [SRV-14]", async () => {
  using temp = openTempFile();
  const store = openSqliteStore({ file: temp.file });
  const holder = await holdFile(temp.file);

  holder.letGoAfter(100);
  await commitTo(store, [{ ...commit("a"), session: sessionOf("a") }]);
  await holder.gone;

  expect((await store.findSession("a"))?.owner).toBe("alice");
  await store.close();
});

test("only the first commit waits for a file that stays locked [SRV-16]", async () => {
  using temp = openTempFile();
  const store = openSqliteStore({ file: temp.file });
  const holder = await holdFile(temp.file);
  const save = async (contextId: string) =>
    await commitTo(store, [{ ...commit(contextId), session: sessionOf(contextId) }]);
  const waitedMs: number[] = [];

  for (const contextId of ["a", "b", "c", "d"]) {
    const startedAt = performance.now();
    await expect(save(contextId)).rejects.toThrow("database is locked");
    waitedMs.push(performance.now() - startedAt);
  }
  holder.letGoAfter(0);
  await holder.gone;
  await store.check();
  await save("e");

  // The first commit waits one second. The others do not wait, but may be slow on a busy machine.
  const [first = 0, ...others] = waitedMs;
  expect(first).toBeGreaterThan(900);
  expect(Math.min(...others)).toBeLessThan(900);
  expect(await store.findSession("a")).toBeUndefined();
  expect((await store.findSession("e"))?.owner).toBe("alice");
  await store.close();
});

test("the files of a SQLite store are readable only by the user of the process", async () => {
  using temp = openTempFile();
  const store = openSqliteStore({ file: temp.file });

  const files = ["", "-wal", "-shm", ".lock"].map((end) => `${temp.file}${end}`);
  const modes = [path.dirname(temp.file), ...files].map((file) => statSync(file).mode & 0o777);
  await store.close();

  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600, 0o600]);
});

test("a SQLite store that is opened again has the journal that was committed [SRV-14]", async () => {
  using temp = openTempFile();
  const before = openSqliteStore({ file: temp.file });
  await commitTo(before, [
    {
      ...commit("context"),
      session: {
        contextId: "context",
        owner: "alice",
        settings: { workspacePath: "/", allowedTools: [], mcpServers: {} },
        createdAt: "",
      },
      journal: [{ type: "kept" }],
      isCritical: true,
    },
  ]);
  await before.close();

  const after = openSqliteStore({ file: temp.file });
  const journal = await after.readJournal("context");
  await after.close();

  expect(journal).toEqual([{ type: "kept" }]);
});

test("SQLite stores all commits of a group or none", async () => {
  using temp = openTempFile();
  const store = openSqliteStore({ file: temp.file });
  const event = {
    position: 1,
    event: {
      kind: "STATE_CHANGE" as const,
      taskId: "task",
      turn: 1,
      state: "working" as const,
      at: "",
    },
  };
  const session = {
    contextId: "context",
    owner: "alice",
    settings: { workspacePath: "/", allowedTools: [], mcpServers: {} },
    createdAt: "",
  };

  const group = commitTo(store, [
    { ...commit("context"), session, events: [event] },
    { ...commit("context"), events: [event] },
  ]);

  await expect(group).rejects.toThrow();
  expect(await store.findSession("context")).toBeUndefined();
  await store.close();
});

test("a page of large events ends at its byte limit, but has at least one event [LOG-04]", async () => {
  using temp = openTempFile();
  const store = openSqliteStore({ file: temp.file });
  const base = { kind: "TEXT_CONTENT", taskId: "task", turn: 1, state: "working", at: "" } as const;
  const events = [100, 100, 5_000, 100].map((length, index) => ({
    position: index + 1,
    event: { ...base, text: "x".repeat(length) },
  }));
  await commitTo(store, [{ ...commit("context"), session: sessionOf("context"), events }]);
  const read = async (after: number) => {
    const query = { contextId: "context", after, limit: 9, maxBytes: 1_000 };
    return (await store.readEvents(query)).map(({ position }) => position);
  };

  const pages = [await read(0), await read(2), await read(3), await read(4)];

  expect(pages).toEqual([[1, 2, 3], [3], [4], []]);
  await store.close();
});

test("the database of another program is refused and not changed", async () => {
  using temp = openTempFile();
  mkdirSync(path.dirname(temp.file), { recursive: true });
  for (const version of [0, 2]) {
    rmSync(temp.file, { force: true });
    const database = new DatabaseSync(temp.file);
    database.exec(`CREATE TABLE theirs (a); PRAGMA user_version = ${version}`);
    database.close();
    const before = readFileSync(temp.file);

    expect(() => openSqliteStore({ file: temp.file })).toThrow(/the database of another program/);
    expect(readFileSync(temp.file).equals(before)).toBe(true);
  }
});

test("a file that is not a database is refused as damaged and not changed", () => {
  using temp = openTempFile();
  const file = path.join(path.dirname(path.dirname(temp.file)), "damaged.db");
  writeFileSync(file, "this is not a database, and it is long enough to be looked at. ".repeat(40));
  const before = readFileSync(file, "utf8");

  expect(() => openSqliteStore({ file })).toThrow(/damaged/);
  expect(readFileSync(file, "utf8")).toBe(before);
});

test("a database with a damaged page is refused and not changed", async () => {
  using temp = openTempFile();
  const store = openSqliteStore({ file: temp.file });
  for (const contextId of ["a", "b", "c"]) {
    const journal = [{ type: "long", text: "x".repeat(20_000) }];
    await commitTo(store, [{ ...commit(contextId), session: sessionOf(contextId), journal }]);
  }
  await store.close();
  const bytes = readFileSync(temp.file);
  bytes.fill(0xff, 8_192, 8_192 + 4_096);
  writeFileSync(temp.file, bytes);

  // The message has one line, for the operator.
  expect(() => openSqliteStore({ file: temp.file })).toThrow(
    /^[^\n]* is damaged \([^\n]*\)[^\n]*$/,
  );
  expect(readFileSync(temp.file).equals(bytes)).toBe(true);
});

test("a commit that does not fit on the disk is refused, and a smaller one is accepted", async () => {
  using temp = openTempFile();
  const store = openSqliteStore({ file: temp.file, maxBytes: 256 * 1024 });
  await commitTo(store, [{ ...commit("context"), session: sessionOf("context") }]);
  const large = { ...commit("context"), journal: [{ type: "large", text: "x".repeat(500_000) }] };

  await expect(commitTo(store, [large])).rejects.toThrow(/full/);
  await commitTo(store, [{ ...commit("context"), journal: [{ type: "small" }] }]);

  expect(await store.readJournal("context")).toEqual([{ type: "small" }]);
  await store.close();
});

test("a large file is checked while it is used, and becomes read-only if it is damaged [SRV-14]", async () => {
  using temp = openTempFile();
  const filling = openSqliteStore({ file: temp.file });
  for (let index = 0; index < 40; index += 1) {
    const journal = [{ type: "long", text: "x".repeat(20_000) }];
    const contextId = `context-${index}`;
    await commitTo(filling, [{ ...commit(contextId), session: sessionOf(contextId), journal }]);
  }
  await filling.close();
  const bytes = readFileSync(temp.file);
  bytes.fill(0xff, bytes.length - 40 * 4_096);
  writeFileSync(temp.file, bytes);

  let store = openMemoryStore();
  const damage = await new Promise<Error>((onFault) => {
    store = openSqliteStore({ file: temp.file, checkedBytes: 0, onFault });
  });

  expect(damage.message).toContain("is damaged");
  await expect(store.check()).rejects.toThrow("is damaged");
  const late = { ...commit("late"), session: sessionOf("late") };
  await expect(commitTo(store, [late])).rejects.toThrow("nothing more is written to it");
  await store.close();
  expect(readFileSync(temp.file).equals(bytes)).toBe(true);
});

test("a scan of an intact file reports no damage", async () => {
  using temp = openTempFile();
  const filling = openSqliteStore({ file: temp.file });
  const journal = Array.from({ length: 1_200 }, (_, number) => ({ number }));
  await commitTo(filling, [{ ...commit("context"), session: sessionOf("context"), journal }]);
  await filling.close();
  const database = new DatabaseSync(temp.file);

  const damaged: unknown[] = [];
  const slices = [...scanRows(database, (error) => damaged.push(error))].length;
  database.close();

  expect(slices).toBe(4);
  expect(damaged).toEqual([]);
});

test("a scan finds damaged rows in the first and the last slice [LOG-06]", async () => {
  using temp = openTempFile();
  const filling = openSqliteStore({ file: temp.file });
  const journal = Array.from({ length: 1_200 }, (_, number) => ({ number }));
  for (const contextId of ["a", "b", "c"])
    await commitTo(filling, [{ ...commit(contextId), session: sessionOf(contextId), journal }]);
  await filling.close();
  const database = new DatabaseSync(temp.file);
  database.exec(`UPDATE journal SET record = '{}' WHERE context_id = 'a' AND number = 1;
    UPDATE journal SET record = '{}' WHERE context_id = 'c' AND number = 1200`);

  const damaged: unknown[] = [];
  const slices = [...scanRows(database, (error) => damaged.push(error))].length;
  database.close();

  expect(slices).toBe(9);
  expect(damaged).toMatchObject([{ contextId: "a" }, { contextId: "c" }]);
});

test("on a full disk, the check of a store fails until a commit can be written again [SRV-16]", async () => {
  using temp = openTempFile();
  const store = openSqliteStore({ file: temp.file, maxBytes: 256 * 1024 });
  await commitTo(store, [{ ...commit("context"), session: sessionOf("context") }]);
  const more = { ...commit("context"), journal: [{ type: "some", text: "x".repeat(9_000) }] };
  const fits = () =>
    commitTo(store, [more]).then(
      () => true,
      () => false,
    );
  await store.savePush(push, { maxPerTask: 1 });
  while (await fits());

  // A write that needs no space succeeds even on a full disk.
  const isNoted = await store.notePush(push, { ...push.progress, after: 1 });
  const whenFull = store.check();
  expect(isNoted).toBe(true);
  await expect(whenFull).rejects.toThrow(/full/);
  await store.deleteSession("context");
  const afterwards = store.check();

  await expect(afterwards).resolves.toEqual({ damagedSessions: [] });
  expect(await store.readJournal("")).toEqual([]);
  await store.close();
});

test("a file of version 1 is migrated with its content [SRV-14]", async () => {
  using temp = openTempFile();
  await writeVersionOne(temp.file);

  const store = openSqliteStore({ file: temp.file });

  expect(await store.findSession("context")).toMatchObject({
    owner: "alice",
    lastPosition: 3,
    lastActiveAt: "2026-01-01T00:00:03Z",
    lastPrompt: "hello",
  });
  expect(await store.listTasks({ owner: "alice", limit: 9 })).toMatchObject({
    total: 2,
    tasks: [
      { taskId: "second", updatedAt: "2026-01-01T00:00:03Z", state: "working" },
      { taskId: "first", updatedAt: "2026-01-01T00:00:01Z", state: "completed" },
    ],
  });
  const query = { contextId: "context", after: 0, limit: 9, taskId: "second" };
  expect((await store.readEvents(query)).map(({ position }) => position)).toEqual([2, 3]);
  await store.close();
});

test("a file of a newer dt is refused", async () => {
  using temp = openTempFile();
  await openSqliteStore({ file: temp.file }).close();
  const database = new DatabaseSync(temp.file);
  database.exec("PRAGMA user_version = 999");
  database.close();

  expect(() => openSqliteStore({ file: temp.file })).toThrow(/newer dt/);
});

test("a closed store refuses each method, even if the answer is in memory [SRV-14]", async () => {
  using temp = openTempFile();
  const at = "2026-01-01T00:00:00.000Z";
  const key = { taskId: "task", configId: "config" };
  const id = { contextId: "context", id: "g" };
  const calls: {
    [name in Exclude<keyof SessionStore, "close" | "takeOverEveryMs" | "instances">]: unknown[];
  } = {
    check: [],
    commit: [[]],
    findSession: ["context"],
    acquire: ["another"],
    listSessions: [{ owner: "alice", limit: 1 }],
    findTask: ["task"],
    listTasks: [{ owner: "alice", limit: 1 }],
    countTasks: [],
    findReceipt: ["alice", "m"],
    readEvents: [{ contextId: "context", after: 0, limit: 1 }],
    findView: ["task"],
    saveView: [{ taskId: "task", contextId: "context", position: 1, json: "{}" }],
    readJournal: ["context"],
    listUnfinished: [],
    listUntouched: [at],
    changeOwner: ["alice", "bob"],
    deleteSession: ["context"],
    savePush: [push, { maxPerTask: 1 }],
    listPushes: ["task"],
    deletePush: [key],
    notePush: [push, push.progress],
    claimPushes: [{ now: at, limit: 1 }],
    countWaitingPushes: [{}],
    resumePushes: [at],
    reserveBudget: [
      {
        id: "r",
        accounts: [],
        at,
        input: { tokens: 1, nanos: 1 },
        leastOutput: 1,
        mostOutput: 1,
        outputNanos: 1,
      },
    ],
    settleBudget: ["r", { tokens: 1, nanos: 1 }],
    readBudgets: [["a"]],
    createToken: [{ id: "t", user: "a", name: "b", role: "observe", digest: "", createdAt: at }],
    findTokens: [["t"]],
    listTokens: [],
    revokeToken: [{ user: "a", name: "b" }, at],
    noteTokenUse: ["t", at],
    createGrant: [{ ...id, user: "bob", linkId: "", createdAt: at }, { maxPerSession: 1 }],
    findGrant: ["g"],
    findGrants: [[{ contextId: "context", user: "bob" }], at],
    hadGrant: [{ contextId: "context", user: "bob" }],
    listGrants: ["context", at],
    listGrantsOf: ["bob", at],
    revokeGrant: [id, at],
    addAudit: [[], { maxRecords: 1 }],
    readAudit: [{ since: "", limit: 1 }],
    listActive: [at],
  };

  for (const store of [openMemoryStore(), openSqliteStore({ file: temp.file })]) {
    await commitTo(store, [first([1])]);
    await store.close();
    const accepted: string[] = [];
    for (const [name, args] of Object.entries(calls)) {
      const method = store[name as keyof typeof calls] as (...given: unknown[]) => Promise<unknown>;
      await method(...args).then(
        () => accepted.push(name),
        () => {},
      );
    }
    expect(accepted).toEqual([]);
  }
});
