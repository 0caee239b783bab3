import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test, vi } from "vitest";
import { type CommitDraft, commitTo } from "../../testing/commit-to.js";
import { event, first, next, promptEvent, session } from "../../testing/store-checks.js";
import type { PushRecord } from "../push-record.js";
import type { StoreFault } from "../store-fault.js";
import { openSqliteStore, type SqliteStoreOptions } from "./open-sqlite-store.js";

const everything = { contextId: "context", after: 0, limit: 9 };

/** Creates a directory for a file. `faults` has the faults of every store that is opened on the file. */
function openStage(options: Partial<SqliteStoreOptions> = {}) {
  const root = mkdtempSync(path.join(tmpdir(), "dt-damage-"));
  const directory = path.join(root, "data");
  const file = path.join(directory, "store.db");
  const faults: StoreFault[] = [];
  const onFault = (fault: StoreFault) => faults.push(fault);
  return {
    root,
    directory,
    file,
    faults,
    open: () => openSqliteStore({ file, onFault, watchMs: 20, ...options }),
    /** Changes rows directly in the file. */
    change(sql: string) {
      const database = new DatabaseSync(file);
      database.exec(sql);
      database.close();
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

const other: CommitDraft = {
  ...first([1]),
  contextId: "other",
  session: { ...session, contextId: "other" },
  events: [{ position: 1, event: { ...event(1), taskId: "other-task" } }],
};

const receipt = {
  user: "alice",
  messageId: "message",
  contextId: "context",
  taskId: "task",
  turn: 1,
  afterPosition: 0,
};

const push: PushRecord = {
  taskId: "task",
  configId: "config",
  contextId: "context",
  revision: "1",
  target: {
    url: "http://127.0.0.1/hook",
    version: "1.0",
    developmentTool: true,
    session: true,
    allEvents: false,
  },
  progress: { after: 0, isTaskDue: false, attempts: 0, failures: 0, hasGivenUp: false },
};

/** Creates a file with two sessions. */
async function fill(stage: ReturnType<typeof openStage>): Promise<void> {
  const store = stage.open();
  const journal = [{ type: "a" }, { type: "b" }];
  await commitTo(store, [{ ...first([1, 2, 3]), journal, receipt }, other]);
  await store.close();
}

test("a file of schema 6, without checksums, can be read and appended to [LOG-06, SRV-14]", async () => {
  using stage = openStage();
  mkdirSync(stage.directory);
  const fixture = path.resolve(import.meta.dirname, "../../../fixtures/store-of-schema-6.db.gz");
  writeFileSync(stage.file, gunzipSync(readFileSync(fixture)));

  const store = stage.open();
  const events = await store.readEvents(everything);
  await commitTo(store, [{ ...next([4]), journal: [{ type: "c" }] }]);

  expect(events.map((each) => each.event)).toMatchObject([
    { kind: "USER_PROMPT", parts: [{ type: "text", text: "hello ☃" }] },
    { kind: "TEXT_CONTENT", text: 'text 2 ☃ "quoted" \u0000 \ud800' },
    { kind: "STATE_CHANGE", state: "completed" },
  ]);
  expect(await store.readJournal("context")).toEqual([
    { type: "a" },
    { type: "b", deep: [1, null, "é"] },
    { type: "c" },
  ]);
  expect(await store.findReceipt("alice", "m1")).toMatchObject({
    taskId: "task",
    afterPosition: 0,
  });
  expect(await store.listPushes("task")).toMatchObject([{ configId: "config" }]);
  expect(await store.findView("task")).toMatchObject({ json: '{"a":"☃"}' });
  expect(await store.listUnfinished()).toContain("open");
  expect(
    (await store.readEvents({ ...everything, after: 3 })).map(({ position }) => position),
  ).toEqual([4]);
  expect(stage.faults).toEqual([]);
  await store.close();
});

test("a file of schema 7, without leases, can be read and appended to [LOG-06, SRV-14]", async () => {
  using stage = openStage();
  mkdirSync(stage.directory);
  const fixture = path.resolve(import.meta.dirname, "../../../fixtures/store-of-schema-7.db.gz");
  writeFileSync(stage.file, gunzipSync(readFileSync(fixture)));
  const receipt = { taskId: "task", turn: 1, afterPosition: 0 };

  const store = stage.open();
  const before = await store.findSession("context");
  const lease = await store.acquire("context");
  const fence = { epoch: lease.epoch, number: 1, expectedHead: 3 };
  const events = [{ position: 4, epoch: lease.epoch, event: event(4) }];
  await store.commit([{ ...next([]), ...fence, events, journal: [{ type: "c" }] }]);
  await lease.release();
  await store.close();
  const again = stage.open();

  expect(before).toMatchObject({
    lastPosition: 3,
    epoch: 0,
    commitNumber: 0,
    lastPrompt: "hello ☃",
  });
  expect(await again.findSession("context")).toMatchObject({
    lastPosition: 4,
    epoch: 1,
    commitNumber: 1,
  });
  const read = await again.readEvents(everything);
  expect(read.map(({ position, epoch }) => [position, epoch])).toEqual([
    [1, 0],
    [2, 0],
    [3, 0],
    [4, 1],
  ]);
  expect(await again.readJournal("context")).toHaveLength(3);
  expect(await again.findReceipt("alice", "m1")).toEqual({
    ...receipt,
    user: "alice",
    messageId: "m1",
    contextId: "context",
  });
  expect(await again.findTask("open-task")).toMatchObject({ state: "working", epoch: 0 });
  expect(await again.listPushes("task")).toMatchObject([{ configId: "config" }]);
  expect(stage.faults).toEqual([]);
  await again.close();
});

test.each([
  ["the epoch of an event", "UPDATE events SET epoch = 7 WHERE seq = 2"],
  ["the epoch of an event to 0", "UPDATE events SET epoch = 0 WHERE seq = 2"],
  ["the epoch of a session", "UPDATE sessions SET epoch = 7 WHERE context_id = 'context'"],
  [
    "the commit number of a session",
    "UPDATE sessions SET commit_number = 7 WHERE context_id = 'context'",
  ],
  ["the epoch of a task", "UPDATE tasks SET epoch = 7 WHERE context_id = 'context'"],
  ["the digest of a receipt", "UPDATE receipts SET digest = 'other'"],
])("a change of %s is detected as damage [LOG-06]", async (_, sql) => {
  using stage = openStage();
  await fill(stage);
  stage.change(sql);

  const store = stage.open();
  const reads = [store.readEvents(everything), store.findSession("context")];
  const refused = await Promise.allSettled([...reads, store.findReceipt("alice", "message")]);

  expect(refused.map(({ status }) => status)).toContain("rejected");
  expect(stage.faults[0]).toMatchObject({ kind: "session-damaged", contextId: "context" });
  expect((await store.findSession("other"))?.owner).toBe("alice");
  await store.close();
});

test("a row with invalid UTF-8 and without a checksum can be read [LOG-06]", async () => {
  using stage = openStage();
  await fill(stage);
  stage.change(`UPDATE journal SET checksum = NULL,
    record = CAST(x'7b2274797065223a2261ff62227d' AS TEXT) WHERE number = 1`);

  const store = stage.open();

  expect(await store.readJournal("context")).toEqual([{ type: "a\ufffdb" }, { type: "b" }]);
  await store.close();
});

for (const { what, sql, row, read } of [
  {
    what: "a changed event",
    sql: "UPDATE events SET event = replace(event, 'text 2', 'text 5')",
    row: "events 2",
  },
  {
    what: "a changed task id",
    sql: "UPDATE events SET task_id = 'tusk' WHERE seq = 2",
    row: "events 2",
  },
  {
    what: "a missing event",
    sql: "DELETE FROM events WHERE seq = 2",
    row: "events 2: missing",
  },
  {
    what: "a missing last event",
    sql: "DELETE FROM events WHERE seq = 3",
    row: "events 3: missing",
    read: "rest",
  },
  {
    what: "an event that is not JSON",
    sql: "UPDATE events SET event = '{', checksum = NULL WHERE seq = 3",
    row: "events 3: not JSON",
  },
  {
    what: "a changed journal record",
    sql: 'UPDATE journal SET record = \'{"type":"z"}\' WHERE number = 2',
    row: "journal 2",
    read: "journal",
  },
  {
    what: "a missing last journal record",
    sql: "DELETE FROM journal WHERE number = 2",
    row: "journal 2: missing",
    read: "journal",
  },
  {
    what: "a journal without its first record",
    sql: "UPDATE journal SET number = number + 10, checksum = NULL WHERE number > 0",
    row: "journal 1: missing",
    read: "journal",
  },
  {
    what: "two swapped events",
    sql: "UPDATE events SET seq = 9 WHERE seq = 2 AND context_id = 'context'; UPDATE events SET seq = 2 WHERE seq = 3; UPDATE events SET seq = 3 WHERE seq = 9",
    row: "events 2",
  },
] as const satisfies readonly {
  what: string;
  sql: string;
  row: string;
  read?: string;
}[] as readonly { what: string; sql: string; row: string; read?: string }[]) {
  test(`only the session with ${what} is closed, and the error names the row [LOG-06]`, async () => {
    using stage = openStage();
    await fill(stage);
    stage.change(sql.replace("WHERE", "WHERE context_id = 'context' AND"));
    const store = stage.open();

    const reading = async () => {
      if (read === "journal") return await store.readJournal("context");
      const page = await store.readEvents(everything);
      return await store.readEvents({ ...everything, after: page.length });
    };
    await expect(reading()).rejects.toMatchObject({
      kind: "session-damaged",
      data: { store: "session-damaged", contextId: "context" },
      message: expect.stringContaining(`the session context is damaged (${row}`),
    });
    const byTask = store.readEvents({ ...everything, taskId: "task" });
    if (read !== "journal") await expect(byTask).rejects.toThrow(`(${row}`);

    expect(stage.faults).toMatchObject([{ contextId: "context", kind: "session-damaged" }]);
    expect(await store.check()).toEqual({ damagedSessions: ["context"] });
    await expect(store.findSession("context")).rejects.toThrow("is damaged");
    await expect(commitTo(store, [next([4])])).rejects.toThrow("is damaged");
    expect(await store.readEvents({ ...everything, contextId: "other" })).toHaveLength(1);
    await commitTo(store, [{ ...next([2]), contextId: "other" }]);
    await store.deleteSession("context");
    expect(await store.check()).toEqual({ damagedSessions: [] });
    await store.close();
  });
}

for (const [what, sql] of [
  ["session", "UPDATE sessions SET owner = 'blice' WHERE context_id = 'context'"],
  ["task", "UPDATE tasks SET state = 'wosking' WHERE context_id = 'context'"],
  ["task's id", "UPDATE tasks SET task_id = 'tusk' WHERE context_id = 'context'"],
  ["receipt", "UPDATE receipts SET message_id = 'massage' WHERE context_id = 'context'"],
  ["session's settings", "UPDATE sessions SET settings = '{' WHERE context_id = 'context'"],
] as const) {
  test(`a damaged ${what} is found when the file is opened [LOG-06]`, async () => {
    using stage = openStage();
    await fill(stage);
    stage.change(sql);

    const store = stage.open();

    expect(await store.check()).toEqual({ damagedSessions: ["context"] });
    await expect(store.findSession("context")).rejects.toThrow("the session context is damaged");
    expect(await store.findTask("other-task")).toMatchObject({ state: "working" });
    expect(await store.listTasks({ owner: "alice", limit: 1 })).toBeDefined();
    expect(await store.listSessions({ owner: "alice", limit: 9, workspacePath: "/work" })).toEqual(
      [],
    );
    await store.close();
  });
}

test("a session counts as damaged if its row is missing but its task exists [LOG-06]", async () => {
  using stage = openStage();
  await fill(stage);
  stage.change("DELETE FROM sessions WHERE context_id = 'context'");

  const store = stage.open();

  expect(await store.check()).toEqual({ damagedSessions: ["context"] });
  await store.close();
});

test("both sessions are closed if a damaged receipt names the wrong session [LOG-06]", async () => {
  using stage = openStage();
  await fill(stage);
  stage.change("UPDATE receipts SET context_id = 'other'");

  const store = stage.open();

  expect(await store.check()).toEqual({ damagedSessions: ["other", "context"] });
  await store.close();
});

for (const [damage, sql] of [
  ["a damaged session", "UPDATE sessions SET owner = 'blice' WHERE context_id = 'context'"],
  ["a damaged task", "UPDATE tasks SET state = 'wosking' WHERE context_id = 'context'"],
  ["a task without a session", "DELETE FROM sessions WHERE context_id = 'context'"],
  ["a damaged receipt", "UPDATE receipts SET turn = 9"],
  ["a damaged journal record", "UPDATE journal SET record = '{}' WHERE number = 2"],
  ["a damaged event", "UPDATE events SET task_id = 'tusk' WHERE seq = 3"],
] as const) {
  test(`the scan of a large file finds ${damage} [LOG-06]`, async () => {
    using stage = openStage({ checkedBytes: 0 });
    await fill(stage);
    stage.change(sql);

    const store = stage.open();
    await expect
      .poll(() => stage.faults, { timeout: 300_000 })
      .toMatchObject([{ kind: "session-damaged", contextId: "context" }]);

    expect(await store.check()).toEqual({ damagedSessions: ["context"] });
    await store.close();
  });
}

test("a journal record that names a wrong session closes the session that is read [LOG-06]", async () => {
  using stage = openStage({ checkedBytes: 0 });
  await fill(stage);
  const bytes = readFileSync(stage.file);
  bytes.write('bontext\x02{"type":"z"}', bytes.indexOf('context\x02{"type":"b"}'));
  writeFileSync(stage.file, bytes);
  const store = stage.open();

  await expect(store.readJournal("context")).rejects.toMatchObject({
    kind: "session-damaged",
    contextId: "context",
  });
  await store.close();
});

test("a session with a damaged id in its row is found by the key in its index [LOG-06]", async () => {
  using stage = openStage({ checkedBytes: 0 });
  await fill(stage);
  const bytes = readFileSync(stage.file);
  // The row of the session has the owner and the settings after the id.
  bytes.write("kontext", bytes.indexOf("contextalice{"));
  writeFileSync(stage.file, bytes);
  const store = stage.open();

  expect(await store.findSession("context")).toMatchObject({ contextId: "context", epoch: 1 });
  expect(await store.readJournal("context")).toEqual([{ type: "a" }, { type: "b" }]);
  expect(await store.acquire("context")).toMatchObject({ epoch: 2 });
  await store.close();
});

test("a damaged view is ignored and not reported, because it can be folded again [LOG-06]", async () => {
  using stage = openStage();
  await fill(stage);
  const store = stage.open();
  await store.saveView({ taskId: "task", contextId: "context", position: 3, json: '{"a":1}' });

  stage.change("UPDATE views SET view = replace(view, '1', '2')");
  const whenDamaged = await store.findView("task");
  stage.change("UPDATE views SET checksum = NULL");

  expect(whenDamaged).toBeUndefined();
  expect(await store.findView("task")).toMatchObject({ json: '{"a":2}' });
  expect(stage.faults).toEqual([]);
  await store.close();
});

test("a task that is damaged while the file is open is left out of lists [LOG-06]", async () => {
  using stage = openStage();
  await fill(stage);
  const store = stage.open();
  stage.change("UPDATE tasks SET state = 'wosking' WHERE context_id = 'context'");

  const ofSession = store.listTasks({ owner: "alice", contextId: "context", limit: 9 });
  await expect(ofSession).rejects.toMatchObject({ kind: "session-damaged" });
  const { tasks, total } = await store.listTasks({ owner: "alice", limit: 9 });

  expect([tasks.map(({ taskId }) => taskId), total]).toEqual([["other-task"], 2]);
  expect(stage.faults).toMatchObject([{ contextId: "context" }]);
  await store.close();
});

test("methods refuse a damaged session, or leave it and its push configs out of lists [LOG-06]", async () => {
  using stage = openStage();
  const filling = stage.open();
  const done = { ...event(1), state: "completed" as const };
  await commitTo(filling, [{ ...first([]), events: [{ position: 1, event: done }] }]);
  await filling.savePush(push, { maxPerTask: 3 });
  await filling.close();
  const store = stage.open();
  const before = await store.listUntouched("9");

  stage.change("UPDATE sessions SET owner = 'blice'");
  await expect(store.findSession("context")).rejects.toMatchObject({ kind: "session-damaged" });
  const refused = { kind: "session-damaged", contextId: "context" };
  await expect(store.findTask("task")).rejects.toMatchObject(refused);
  await expect(store.acquire("context")).rejects.toMatchObject(refused);
  const tasks = store.listTasks({ owner: "alice", contextId: "context", limit: 9 });
  await expect(tasks).rejects.toMatchObject(refused);
  await expect(store.savePush(push, { maxPerTask: 3 })).rejects.toMatchObject(refused);

  expect(before).toEqual(["context"]);
  expect(await store.listUntouched("9")).toEqual([]);
  expect(await store.listPushes("task")).toEqual([]);
  await store.close();
});

test("a session with a damaged event cannot be acquired, although its own row is intact [LOG-06]", async () => {
  using stage = openStage();
  const filling = stage.open();
  await commitTo(filling, [first([1, 2])]);
  await filling.close();
  const store = stage.open();

  stage.change("UPDATE events SET event = '{}'");
  const refused = { kind: "session-damaged", contextId: "context" };
  await expect(store.readEvents(everything)).rejects.toMatchObject(refused);

  await expect(store.acquire("context")).rejects.toMatchObject(refused);
  await store.close();
});

test("a session that is damaged while the file is open is left out of lists [LOG-06]", async () => {
  using stage = openStage();
  const store = stage.open();
  await commitTo(store, [{ ...first([]), events: [{ position: 1, event: promptEvent("hi") }] }]);
  const list = () => store.listSessions({ owner: "alice", limit: 9 });
  const before = (await list()).length;

  stage.change("UPDATE sessions SET created_at = ''");

  expect([before, await list()]).toEqual([1, []]);
  expect(stage.faults).toMatchObject([{ contextId: "context" }]);
  await store.close();
});

test("a read with a limit in bytes detects that the last event is missing [LOG-06]", async () => {
  using stage = openStage();
  await fill(stage);
  stage.change("DELETE FROM events WHERE context_id = 'context' AND seq = 3");
  const store = stage.open();
  const read = (after: number) => store.readEvents({ ...everything, after, maxBytes: 9_999 });

  expect(await read(1)).toHaveLength(1);
  await expect(read(2)).rejects.toMatchObject({
    kind: "session-damaged",
    message: expect.stringContaining("events 3: missing"),
  });
  await store.close();
});

/** Damages the index of sessions. Returns the size of the file. */
function damageIndex(stage: ReturnType<typeof openStage>): number {
  const bytes = readFileSync(stage.file);
  const database = new DatabaseSync(stage.file);
  const { page } = database
    .prepare(
      "SELECT rootpage AS page FROM sqlite_schema WHERE name = 'sqlite_autoindex_sessions_1'",
    )
    .get() as { page: number };
  database.close();
  const at = bytes.indexOf("context", (page - 1) * 4_096);
  bytes.write("kontext", at);
  writeFileSync(stage.file, bytes);
  return bytes.length;
}

test("a session that is not found in a damaged index counts as damaged [LOG-06]", async () => {
  using stage = openStage();
  await fill(stage);
  stage.change("UPDATE sessions SET owner = 'blice' WHERE context_id = 'other'");
  damageIndex(stage);

  const store = stage.open();

  expect(new Set((await store.check()).damagedSessions)).toEqual(new Set(["context", "other"]));
  await store.close();
});

test("a file with a damaged index is refused [LOG-06]", async () => {
  using stage = openStage();
  await fill(stage);
  damageIndex(stage);

  expect(() => stage.open()).toThrow(/^[^\n]* is damaged \([^\n]*$/);
  // The second attempt finds the same damage, not a locked file, because the first attempt released its lock.
  expect(() => stage.open()).toThrow(
    expect.objectContaining({
      name: "SetupError",
      message: expect.stringContaining("is damaged"),
    }),
  );
});

test("a file is checked before it is used if it is not larger than checkedBytes [LOG-06]", async () => {
  using stage = openStage();
  await fill(stage);
  const checkedBytes = damageIndex(stage);
  const open = (bytes: number) => openSqliteStore({ file: stage.file, checkedBytes: bytes });

  expect(() => open(checkedBytes)).toThrow("is damaged");
  const store = open(checkedBytes - 1);

  expect(await store.findTask("other-task")).toMatchObject({ state: "working" });
  await store.close();
});

test("a damaged push config is skipped and closes its session [LOG-06]", async () => {
  using stage = openStage();
  await fill(stage);
  const filled = stage.open();
  await filled.savePush(push, { maxPerTask: 3 });
  await filled.close();
  stage.change("UPDATE pushes SET target = replace(target, 'hook', 'hack')");

  const store = stage.open();

  expect(await store.listPushes("task")).toEqual([]);
  expect(await store.check()).toEqual({ damagedSessions: ["context"] });
  await store.close();
});

test("a damaged page makes the store read-only [LOG-06]", async () => {
  using stage = openStage({ checkedBytes: 0 });
  const filling = stage.open();
  const text = "x".repeat(20_000);
  await commitTo(filling, [{ ...first([1]), journal: [{ type: "long", text }] }, other]);
  await filling.close();
  const bytes = readFileSync(stage.file);
  // One page of the text is damaged, with its pointer to the next page. Pages of the schema may lie between.
  const page = bytes.indexOf(text.slice(0, 4_000));
  bytes.fill(0xff, page - 4, page + 4_000);
  writeFileSync(stage.file, bytes);
  const store = stage.open();

  await expect(store.readJournal("context")).rejects.toMatchObject({
    kind: "store-damaged",
    message: expect.stringContaining("is damaged or cannot be read"),
  });

  expect(stage.faults).toMatchObject([{ kind: "store-damaged" }]);
  await expect(store.check()).rejects.toMatchObject({ kind: "store-damaged" });
  await expect(commitTo(store, [{ ...next([2]), contextId: "other" }])).rejects.toMatchObject({
    data: { store: "store-damaged" },
  });
  expect(await store.readEvents({ ...everything, contextId: "other" })).toHaveLength(1);
  await store.close();
});

for (const [what, remove] of [
  ["directory was deleted", ({ directory }) => rmSync(directory, { recursive: true })],
  ["directory was moved away", ({ directory, root }) => renameSync(directory, `${root}/away`)],
  [
    "file was replaced",
    ({ file }) => {
      cpSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
  ],
  ["write-ahead log was deleted", ({ file }) => rmSync(`${file}-wal`)],
  ["lock file was deleted", ({ file }) => rmSync(`${file}.lock`)],
] as const satisfies readonly (readonly [
  string,
  (stage: ReturnType<typeof openStage>) => void,
])[]) {
  test(`a store whose ${what} reports a fault, refuses commits and can be read [LOG-07]`, async () => {
    using stage = openStage();
    const store = stage.open();
    await commitTo(store, [first([1])]);

    remove(stage);
    const critical = commitTo(store, [{ ...next([2]), isCritical: true }]);
    await expect(critical).rejects.toMatchObject({ data: { store: "store-gone" } });
    await expect(commitTo(store, [{ ...next([2]), receipt }])).rejects.toThrow(
      "nothing more is written",
    );
    await expect(store.check()).rejects.toThrow(/was (deleted|replaced) while it was in use/);

    expect(stage.faults).toMatchObject([{ kind: "store-gone" }]);
    expect(await store.readEvents(everything)).toHaveLength(1);
    await store.close();
  });
}

test("a store reports deleted files before the next commit, and refuses commits [LOG-07]", async () => {
  using stage = openStage();
  const store = stage.open();
  await commitTo(store, [first([1])]);

  rmSync(stage.directory, { recursive: true });
  await expect
    .poll(() => stage.faults, { timeout: 300_000 })
    .toMatchObject([{ kind: "store-gone" }]);

  await expect(commitTo(store, [next([2])])).rejects.toThrow("was deleted");
  await store.close();
});

test("a store that is closed reports nothing, even if its files are deleted [LOG-07]", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  using stage = openStage();
  const store = stage.open();
  await commitTo(store, [first([1])]);

  await store.close();
  rmSync(stage.directory, { recursive: true });
  vi.advanceTimersByTime(1_000);

  expect(stage.faults).toEqual([]);
  vi.useRealTimers();
});

test("a store works again after its files were moved away and back [LOG-07]", async () => {
  using stage = openStage();
  const store = stage.open();
  await commitTo(store, [first([1])]);

  renameSync(stage.directory, `${stage.root}/away`);
  await expect(commitTo(store, [{ ...next([2]), isCritical: true }])).rejects.toThrow(
    "was deleted",
  );
  renameSync(`${stage.root}/away`, stage.directory);
  await commitTo(store, [{ ...next([2]), isCritical: true }]);

  expect(await store.readEvents(everything)).toHaveLength(2);
  await store.close();
});

test("on a full disk, a large commit is refused, and reads and small commits succeed [LOG-07]", async () => {
  using stage = openStage({ maxBytes: 256 * 1_024 });
  const store = stage.open();
  await commitTo(store, [first([1])]);
  const large = { ...next([]), journal: [{ type: "large", text: "x".repeat(500_000) }] };

  await expect(commitTo(store, [large])).rejects.toMatchObject({
    message: expect.stringContaining("the disk is full"),
    data: { store: "disk-full" },
  });
  expect(await store.readEvents(everything)).toHaveLength(1);
  await commitTo(store, [next([2])]);

  expect(await store.check()).toEqual({ damagedSessions: [] });
  expect(stage.faults).toEqual([]);
  await store.close();
});

test("a prompt with a NUL character is stored and not reported as damage [LOG-06]", async () => {
  using stage = openStage();
  const store = stage.open();
  await commitTo(store, [
    { ...first([]), events: [{ position: 1, event: promptEvent("a\0b \ud800") }] },
  ]);
  await store.close();

  const again = stage.open();

  expect(await again.check()).toEqual({ damagedSessions: [] });
  expect((await again.findSession("context"))?.lastPrompt).toBe("a\ufffdb \ufffd");
  await again.close();
});

test("a damaged grant admits nobody, leaves the other grants alone, and can be revoked [LOG-06]", async () => {
  using stage = openStage();
  const at = "2026-01-01T00:00:00.000Z";
  const grant = {
    id: "g1",
    contextId: "context",
    user: "bob",
    role: "observe",
    digest: "",
    linkId: "",
    createdAt: at,
    expiresAt: "2026-01-02T00:00:00.000Z",
  } as const;
  const before = openSqliteStore({ file: stage.file });
  await commitTo(before, [first([1])]);
  for (const each of [grant, { ...grant, id: "g2", user: "eve" }])
    await before.createGrant(each, { maxPerSession: 2 });
  await before.close();
  stage.change("UPDATE grants SET role = 'approve' WHERE id = 'g1'");
  const store = stage.open();
  const idsOf = async () => (await store.listGrants("context", at)).map(({ id }) => id);

  expect(await store.findGrants([{ contextId: "context", user: "bob" }], at)).toEqual([]);
  expect(await store.findGrant("g1")).toBeUndefined();
  expect(await store.listGrantsOf("bob", at)).toEqual([]);
  expect(await idsOf()).toEqual(["g2"]);
  expect(await store.revokeGrant({ contextId: "context", id: "g1" }, at)).toBe(1);
  expect(await store.createGrant({ ...grant, id: "g3" }, { maxPerSession: 2 })).toBe(true);
  expect((await store.readEvents(everything)).length).toBe(1);
  await store.close();
});

test("a change of owner leaves damaged sessions as they are [LOG-06]", async () => {
  using stage = openStage();
  await fill(stage);
  stage.change("UPDATE journal SET record = '{}' WHERE number = 2");
  const store = stage.open();
  await expect(store.readJournal("context")).rejects.toThrow("is damaged");

  expect(await store.changeOwner("alice", "bob")).toBe(1);

  expect((await store.findSession("other"))?.owner).toBe("bob");
  await store.close();
  const database = new DatabaseSync(stage.file);
  const rows = database.prepare("SELECT context_id, owner FROM sessions ORDER BY context_id").all();
  database.close();
  expect(rows.map((row) => ({ ...(row as object) }))).toEqual([
    { context_id: "context", owner: "alice" },
    { context_id: "other", owner: "bob" },
  ]);
});

test("a damaged token admits nobody, is replaced by a new one, and can be revoked [LOG-06]", async () => {
  using stage = openStage();
  const token = {
    id: "t1",
    user: "ada",
    name: "laptop",
    role: "observe",
    digest: "d",
    createdAt: "2026-01-01T00:00:00.000Z",
  } as const;
  const before = stage.open();
  await before.createToken(token);
  await before.createToken({ ...token, id: "t2", name: "phone" });
  await before.close();
  stage.change("UPDATE tokens SET role = 'admin' WHERE id = 't1'");
  const store = stage.open();
  const at = "2026-01-02T00:00:00.000Z";
  const idsOf = async () => (await store.listTokens()).map(({ id }) => id);

  expect([await store.findTokens(["t1"]), await store.findTokens(["t1", "t3"])]).toEqual([[], []]);
  await store.noteTokenUse("t1", at);
  expect(await idsOf()).toEqual(["t2"]);
  expect(await store.createToken({ ...token, id: "t4" })).toBe(false);
  expect(await store.revokeToken(token, at)).toBe(true);
  expect(await store.createToken({ ...token, id: "t4" })).toBe(true);
  await store.close();
});

test("a damaged budget refuses calls, and the budgets of others stay [LOG-06]", async () => {
  using stage = openStage();
  const request = (account: string) => ({
    id: account,
    accounts: [{ account, tokens: 1_000 }],
    input: { tokens: 1, nanos: 1 },
    leastOutput: 1,
    mostOutput: 1,
    outputNanos: 1,
    at: "2026-01-01T00:00:00.000Z",
  });
  const before = stage.open();
  await before.reserveBudget(request("a"));
  await before.reserveBudget(request("b"));
  await before.close();
  stage.change("UPDATE budgets SET tokens = 0 WHERE account = 'a'");
  const store = stage.open();
  const damage = "the budget a is damaged in the store; restore it from a backup";

  await expect(store.reserveBudget({ ...request("a"), id: "c" })).rejects.toThrow(damage);
  await expect(store.readBudgets(["a"])).rejects.toThrow(damage);
  await expect(store.settleBudget("a", { tokens: 0, nanos: 0 })).rejects.toThrow(damage);
  expect(await store.readBudgets(["b"])).toEqual([{ tokens: 2, nanos: 2 }]);
  await store.close();
});

test("a damaged audit record is shown, and replaced when the same entry is added again [LOG-06]", async () => {
  using stage = openStage();
  const record = {
    id: "2026-01-01T00:01 a",
    kind: "refusal",
    user: "ada",
    firstAt: "2026-01-01T00:01:00.000Z",
    lastAt: "2026-01-01T00:01:00.000Z",
    count: 1,
  } as const;
  const before = stage.open();
  await before.addAudit([record], { maxRecords: 9 });
  await before.close();
  stage.change("UPDATE audit SET count = 99");
  const store = stage.open();
  const shown = await store.readAudit({ since: "", limit: 9 });

  await store.addAudit([{ ...record, count: 2 }], { maxRecords: 9 });

  expect(shown).toEqual([{ ...record, count: 99 }]);
  expect(await store.readAudit({ since: "", limit: 9 })).toEqual([{ ...record, count: 2 }]);
  await store.close();
});
