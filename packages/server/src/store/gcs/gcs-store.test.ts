import { afterAll, beforeAll, expect, test } from "vitest";
import { commitTo } from "../../testing/commit-to.js";
import {
  openStorageStandIn,
  type StorageStandIn,
} from "../../testing/storage/open-storage-stand-in.js";
import { event, first, next, rejects, session, taskAt } from "../../testing/store-checks.js";
import { storeContract } from "../../testing/store-contract.js";
import { type GcsStoreOptions, openGcsStore } from "./open-gcs-store.js";

/** Retries without noticeable pauses. */
const FAST = { maxTries: 4, baseMs: 1, maxPauseMs: 2, timeoutMs: 60_000 };

let storage: StorageStandIn;
beforeAll(async () => {
  storage = await openStorageStandIn({ pageSize: 3 });
});
afterAll(async () => {
  await storage[Symbol.asyncDispose]();
});

let prefixes = 0;

async function openStore(options: Partial<GcsStoreOptions> = {}) {
  prefixes += 1;
  const { endpoint, bucket } = storage;
  return await openGcsStore({
    endpoint,
    bucket,
    prefix: `p${prefixes}`,
    retries: FAST,
    ...options,
  });
}

for (const { name, check } of storeContract) {
  test(`Google Cloud Storage: ${name} [SRV-14]`, async () => {
    const store = await openStore();

    await expect(check(store)).resolves.toBeUndefined();

    await store.close();
  });
}

for (const { name, check } of storeContract) {
  test(`Google Cloud Storage with compaction after each commit: ${name} [SRV-14]`, async () => {
    const store = await openStore({ saveIndexAt: { bytes: 1, segments: 1 } });

    await expect(check(store)).resolves.toBeUndefined();

    await store.close();
  });
}

/**
 * Opens stores on one folder one after the other, without closing them, like processes that are killed and restarted.
 */
function openFolder(options: Partial<GcsStoreOptions> = {}) {
  prefixes += 1;
  const prefix = `p${prefixes}`;
  const namesIn = (folder: string) =>
    [...storage.objects.keys()].filter((name) => name.startsWith(`${prefix}/${folder}`));
  return { prefix, namesIn, open: () => openStore({ prefix, ...options }) };
}

const isLog = ({ type, name }: { readonly type: string; readonly name: string }) =>
  type === "insert" && name.includes("/log/");

test("a restart finds what a killed process stored, and the killed process can no longer write [SRV-14, LOG-01]", async () => {
  const { open } = openFolder();
  const killed = await open();
  await commitTo(killed, [first([1, 2]), taskAt(5)]);
  await killed.createToken({
    id: "t",
    user: "ada",
    name: "laptop",
    role: "admin",
    digest: "d",
    createdAt: session.createdAt,
  });

  const store = await open();
  const late = commitTo(killed, [next([3])]);

  await expect(late).rejects.toThrow(/another dt-server took over the bucket/);
  await rejects(killed.check());
  expect((await store.findSession("context"))?.lastPosition).toBe(2);
  expect((await store.findTokens(["t"])).length).toBe(1);
  const lease = await store.acquire("context");
  expect(lease.epoch).toBe(2);
  await store.close();
  await killed.close();
});

test("a process that paused while others compacted its log can no longer write", async () => {
  const { open } = openFolder({ saveIndexAt: { bytes: 1, segments: 1 } });
  const stopped = await open();
  await commitTo(stopped, [first([1])]);
  const other = await open();
  await commitTo(other, [taskAt(1)]);
  await other.close();

  await expect(commitTo(stopped, [next([2])])).rejects.toThrow(/took over/);
  const third = await open();

  expect((await third.findSession("context"))?.lastPosition).toBe(1);
  await third.close();
});

test("the commits of several sessions share one segment, and resolve when the segment is stored", async () => {
  const { open, namesIn } = openFolder();
  const store = await open();
  const segments = namesIn("log/").length;
  const requests = storage.requests.filter(isLog).length;
  const release = storage.hold(isLog);
  let isStored = false;

  const committed = commitTo(
    store,
    [1, 2, 3, 4].map((second) => taskAt(second)),
  ).then(() => {
    isStored = true;
  });
  await expect.poll(() => storage.requests.filter(isLog).length).toBe(requests + 1);

  expect(isStored).toBe(false);
  release();
  await committed;
  expect(namesIn("log/").length).toBe(segments + 1);
  expect((await store.countTasks()).total).toBe(4);
  await store.close();
});

test("calls that arrive while a segment is being stored share the next segment", async () => {
  const { open, namesIn } = openFolder();
  const store = await open();
  const segments = namesIn("log/").length;
  const requests = storage.requests.filter(isLog).length;
  const release = storage.hold(isLog);
  const entry = { kind: "refusal", firstAt: "", lastAt: "", count: 1 } as const;
  const add = (id: string) => store.addAudit([{ ...entry, id }], { maxRecords: 9 });

  const first = add("a");
  await expect.poll(() => storage.requests.filter(isLog).length).toBe(requests + 1);
  const later = [add("b"), add("c"), add("d")];
  release();
  await Promise.all([first, ...later]);

  expect(namesIn("log/").length).toBe(segments + 2);
  expect(await store.readAudit({ since: "", limit: 9 })).toHaveLength(4);
  await store.close();
});

test.each([429, 503])("a request that is answered with %s is sent again", async (status) => {
  const store = await openStore();
  const end = storage.fail({ status, times: 2, when: isLog });

  await commitTo(store, [first([1])]);

  end();
  expect((await store.findSession("context"))?.lastPosition).toBe(1);
  await store.close();
});

test("the number of retries is bounded, and a commit that was refused by 429 is not stored", async () => {
  const store = await openStore();
  await commitTo(store, [first([1])]);
  const end = storage.fail({ status: 429, when: isLog });

  await expect(commitTo(store, [next([2])])).rejects.toThrow(/answered 429/);
  end();

  expect((await store.findSession("context"))?.lastPosition).toBe(1);
  await commitTo(store, [next([2])]);
  await store.close();
});

test("a segment whose answer was lost is stored once", async () => {
  const { open } = openFolder();
  const store = await open();
  storage.fail({ times: 1, when: isLog, isDone: true });

  await commitTo(store, [first([1])]);
  await commitTo(store, [next([2])]);

  expect((await store.findSession("context"))?.lastPosition).toBe(2);
  await store.close();
  const again = await open();
  expect((await again.readJournal("context")).length).toBe(0);
  expect((await again.findSession("context"))?.commitNumber).toBe(2);
  await again.close();
});

test("a commit without any answer has the outcome `unknown`, and is looked up when the bucket answers", async () => {
  const store = await openStore();
  await commitTo(store, [first([1])]);
  const end = storage.fail({ when: isLog, isDone: true });

  const outcomes = await commitTo(store, [next([2])]);
  await rejects(store.findSession("context"));
  end();

  expect(outcomes.get("context")).toBe("unknown");
  expect((await store.findSession("context"))?.lastPosition).toBe(2);
  await commitTo(store, [next([3])]);
  await store.close();
});

test("compaction bounds the log and the segments of a session, and keeps every commit", async () => {
  const { open, namesIn } = openFolder({ saveIndexAt: { bytes: 1_000_000, segments: 4 } });
  const store = await open();
  await commitTo(store, [{ ...first([1]), journal: [{ type: "1" }] }]);
  for (let position = 2; position <= 40; position += 1) {
    await commitTo(store, [{ ...next([position]), journal: [{ type: String(position) }] }]);
  }
  await store.close();

  expect(namesIn("sessions/").length).toBeLessThanOrEqual(6);
  // Only the empty segment with which the owner began stays.
  expect(namesIn("log/").length).toBe(1);
  const again = await open();
  const events = await again.readEvents({ contextId: "context", after: 0, limit: 99 });
  expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1));
  expect(events).toHaveLength(40);
  expect(events[6]?.event).toEqual(event(7));
  expect(await again.readJournal("context")).toHaveLength(40);
  await again.close();
});

test("opening a session reads only its segments, and a list reads none", async () => {
  const { open } = openFolder();
  const store = await open();
  await commitTo(store, [first([1]), taskAt(1), taskAt(2), taskAt(3)]);
  await store.close();
  const again = await open();
  const downloads = () =>
    storage.requests.filter(({ type, name }) => type === "download" && name.includes("/sessions/"));
  const before = downloads().length;

  await again.listTasks({ owner: "alice", limit: 9 });
  await again.listSessions({ owner: "alice", limit: 9 });
  await again.listUntouched("9999");
  expect(downloads().length).toBe(before);
  await again.readEvents({ contextId: "context-2", after: 0, limit: 9 });

  const names = downloads()
    .slice(before)
    .map(({ name }) => name);
  expect(names).toEqual([expect.stringContaining("/sessions/context-2/")]);
  await again.close();
});

test("a session is closed if one of its commits is missing in a segment [LOG-06]", async () => {
  const { open, namesIn } = openFolder();
  const store = await open();
  await commitTo(store, [first([1])]);
  for (const position of [2, 3]) await commitTo(store, [next([position])]);
  await store.close();
  const [name = ""] = namesIn("sessions/context/");
  const { body = Buffer.alloc(0), ...object } = storage.objects.get(name) ?? {};
  const lines = body.toString().split("\n");
  const read = async (left: readonly string[]) => {
    storage.objects.set(name, { ...object, body: Buffer.from(left.join("\n")) } as never);
    const again = await open();
    const page = again.readEvents({ contextId: "context", after: 0, limit: 9 });
    const positions = await page.then((events) => events.map(({ position }) => position), String);
    await again.close();
    return positions;
  };

  const whole = await read(lines);
  const withoutMiddle = await read(lines.toSpliced(1, 1));
  const withoutEnd = await read(lines.toSpliced(2, 1));

  expect(whole).toEqual([1, 2, 3]);
  expect([withoutMiddle, withoutEnd]).toEqual([
    expect.stringContaining("events 2: missing"),
    expect.stringContaining("events 3: missing"),
  ]);
});

test("a damaged segment closes only its own session [LOG-06]", async () => {
  const { open, namesIn } = openFolder();
  const store = await open();
  await commitTo(store, [first([1]), taskAt(1)]);
  await store.close();
  const [name = ""] = namesIn("sessions/context/");
  const object = storage.objects.get(name);
  if (object !== undefined) storage.objects.set(name, { ...object, body: Buffer.from("{\n") });
  const again = await open();

  await rejects(again.readEvents({ contextId: "context", after: 0, limit: 9 }));

  expect(await again.check()).toEqual({ damagedSessions: ["context"] });
  expect(await again.readEvents({ contextId: "context-1", after: 0, limit: 9 })).toHaveLength(1);
  await again.close();
});

test("a deleted session leaves no object behind", async () => {
  const { open, prefix } = openFolder({ saveIndexAt: { bytes: 1, segments: 1 } });
  const store = await open();
  const done = { ...taskAt(1, { state: "completed" }) };
  await commitTo(store, [done]);
  await expect.poll(() => storage.objects.has(`${prefix}/tasks/task-1/state.json`)).toBe(true);

  await store.deleteSession("context-1");
  await store.close();

  const left = [...storage.objects].filter(
    ([name, { body }]) => name.startsWith(prefix) && /task-1|context-1/.test(name + body),
  );
  expect(left.map(([name]) => name)).toEqual([]);
});

test("a session that is deleted after a restart leaves no receipt behind", async () => {
  const { open, prefix } = openFolder({ saveIndexAt: { bytes: 1, segments: 1 } });
  const before = await open();
  const receipt = { user: "alice", messageId: "m", contextId: "context", taskId: "task" };
  await commitTo(before, [{ ...first([1]), receipt: { ...receipt, turn: 1, afterPosition: 0 } }]);
  await expect
    .poll(() => [...storage.objects.keys()].some((name) => name.startsWith(`${prefix}/index/`)))
    .toBe(true);
  await before.close();
  const store = await open();
  const found = await store.findReceipt("alice", "m");

  await store.deleteSession("context");

  expect(found).toMatchObject(receipt);
  expect(await store.findReceipt("alice", "m")).toBeUndefined();
  await store.close();
});

test("a command reads sessions and manages tokens while a server keeps owning the bucket", async () => {
  const { open, prefix } = openFolder();
  const server = await open();
  await commitTo(server, [first([1])]);
  const command = await openStore({ prefix, use: "shared" });
  const token = {
    id: "t",
    user: "a",
    name: "n",
    role: "admin",
    digest: "d",
    createdAt: "",
  } as const;

  await command.createToken(token);
  const active = await command.listActive("");
  const written = commitTo(command, [next([2])]);

  await rejects(written);
  expect(active).toEqual(["context"]);
  expect(await server.findTokens(["t"])).toEqual([token]);
  await commitTo(server, [next([2])]);
  await expect(openStore({ prefix, use: "alone" })).rejects.toThrow(/is in use by a dt-server/);
  await server.close();
  const alone = await openStore({ prefix, use: "alone" });
  expect(await alone.changeOwner("alice", "bob")).toBe(1);
  for (const store of [alone, command]) await store.close();
});

test("the oldest audit records of commands are deleted if there are too many", async () => {
  const { open, prefix, namesIn } = openFolder();
  const server = await open();
  const command = await openStore({ prefix, use: "shared" });
  const at = (minute: number) => `2026-01-01T00:0${minute}`;
  const add = (...minutes: readonly number[]) =>
    command.addAudit(
      minutes.map((minute) => ({
        id: `${at(minute)} a`,
        kind: "token-created" as const,
        firstAt: `${at(minute)}:00.000Z`,
        lastAt: `${at(minute)}:00.000Z`,
        count: 1,
      })),
      { maxRecords: 2 },
    );

  await add(2);
  await add(3, 1);
  await add(4);

  expect(namesIn("audit/")).toHaveLength(2);
  const records = await server.readAudit({ since: "", limit: 9 });
  expect(records.map(({ id }) => id)).toEqual([`${at(3)} a`, `${at(4)} a`]);
  await command.close();
  await server.close();
});

test("a large object is sent in a resumable upload", async () => {
  const store = await openStore();
  const text = "x".repeat(9 * 1024 * 1024);
  const large = { position: 1, event: { ...event(1), kind: "TEXT_CONTENT" as const, text } };

  await commitTo(store, [{ ...first([]), events: [large] }]);

  const uploads = storage.requests.filter(({ upload }) => upload === "resumable");
  expect(uploads.length).toBeGreaterThan(1);
  expect((await store.readEvents({ contextId: "context", after: 0, limit: 1 })).length).toBe(1);
  await store.close();
});

test.each([
  ["bytes", { bytes: 2_000, segments: 1_000 }],
  ["segments", { bytes: 1_000_000, segments: 4 }],
])(
  "the log is compacted when it has reached the limit of %s, and not before",
  async (_, saveIndexAt) => {
    const { open, namesIn } = openFolder({ saveIndexAt });
    const store = await open();
    const sizes: number[] = [];
    await commitTo(store, [first([1])]);
    const saved = () => namesIn("index/").length > 0;
    const early = saved();
    for (let position = 2; position <= 12; position += 1) {
      await commitTo(store, [next([position])]);
      sizes.push(namesIn("log/").length);
    }
    await expect.poll(saved).toBe(true);
    await store.close();

    expect(early).toBe(false);
    expect(sizes[0]).toBeGreaterThan(1);
    expect(namesIn("log/")).toHaveLength(1);
  },
);

test("an object that a crash left behind is deleted at the next start", async () => {
  const { prefix, open, namesIn } = openFolder({ saveIndexAt: { bytes: 1, segments: 1 } });
  const before = await open();
  await commitTo(before, [first([1])]);
  await before.close();
  const [shard = ""] = namesIn("index/");
  const object = storage.objects.get(shard);
  const leftovers = [`${prefix}/index/07-left.jsonl`, `${prefix}/log/000000000002.jsonl`];
  for (const name of leftovers) if (object !== undefined) storage.objects.set(name, object);

  const store = await open();

  expect(leftovers.filter((name) => storage.objects.has(name))).toEqual([]);
  expect(storage.objects.has(shard)).toBe(true);
  expect((await store.findSession("context"))?.lastPosition).toBe(1);
  await store.close();
});

test("a bucket without a segment of its log, or with a damaged one, is refused [LOG-06]", async () => {
  const { open, namesIn } = openFolder();
  const killed = await open();
  for (const position of [1, 2, 3]) {
    await commitTo(killed, [position === 1 ? first([1]) : next([position])]);
  }
  const name = namesIn("log/").at(-2) ?? "";
  const object = storage.objects.get(name);
  if (object === undefined) throw new Error("the log has no segments");

  storage.objects.set(name, { ...object, body: Buffer.from("{}\n") });
  await expect(open()).rejects.toThrow(/log\/\d+\.jsonl is damaged/);
  storage.objects.delete(name);
  await expect(open()).rejects.toThrow(/has no segment log\/\d+\.jsonl/);
  storage.objects.set(name, object);
  const store = await open();

  expect((await store.findSession("context"))?.lastPosition).toBe(3);
  await store.close();
});

test("a log of more segments than are read at once is loaded in order", async () => {
  const { open } = openFolder();
  const killed = await open();
  await commitTo(killed, [first([1])]);
  for (let position = 2; position <= 70; position += 1) await commitTo(killed, [next([position])]);

  const store = await open();
  const events = await store.readEvents({ contextId: "context", after: 0, limit: 99 });

  expect(events.map(({ position }) => position)).toEqual(
    Array.from({ length: 70 }, (_, index) => index + 1),
  );
  await store.close();
});

test("a bucket of a newer dt is refused", async () => {
  const { prefix, open } = openFolder();
  await (await open()).close();
  const name = `${prefix}/owner.json`;
  const object = storage.objects.get(name);
  if (object === undefined) throw new Error("the bucket has no owner");
  const record = JSON.parse(object.body.toString());
  storage.objects.set(name, {
    ...object,
    body: Buffer.from(JSON.stringify({ ...record, format: 2 })),
  });

  await expect(open()).rejects.toThrow(/was written by a newer dt; start that version/);
});

test("a bucket that does not exist, or refuses access, is reported with what to do", async () => {
  await expect(openStore({ bucket: "nowhere", prefix: "/a/" })).rejects.toMatchObject({
    name: "SetupError",
    message: "there is no bucket nowhere/a; create it, or name another one in A2A_GCS_BUCKET",
  });
  for (const status of [401, 403]) {
    const end = storage.fail({ status });
    await expect(openStore()).rejects.toThrow(/refuses access; give the service account the role/);
    end();
  }
  const end = storage.fail({ status: 503 });
  await expect(openStore()).rejects.toThrow(/answered 503 .*; check the network/);
  end();
  await expect(openStore({ keyFile: "/nowhere.json" })).rejects.toThrow(
    "GOOGLE_APPLICATION_CREDENTIALS: the file /nowhere.json cannot be read",
  );
});

test.each(["", "/"])("with the prefix %j, a store uses the whole bucket", async (prefix) => {
  await using whole = await openStorageStandIn();
  const { endpoint, bucket } = whole;
  const store = await openGcsStore({ endpoint, bucket, prefix, retries: FAST });
  await store.close();

  expect([...whole.objects.keys()]).toContain("owner.json");
});

test("a store reports once that another server took over, and refuses its leases and checks [SRV-23]", async () => {
  const faults: Error[] = [];
  const { open } = openFolder({ watchMs: 5, onFault: (fault) => faults.push(fault) });
  const stopped = await open();
  const lease = await stopped.acquire("context");
  const before = [...faults];
  const other = await open();

  await expect.poll(() => faults.length).toBeGreaterThan(0);
  await rejects(stopped.check());
  await rejects(stopped.acquire("other"));
  await rejects(stopped.findTask("task"));

  expect(before).toEqual([]);
  expect(lease.lost.aborted).toBe(true);
  expect(faults.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^another dt-server took over the bucket .*; this server stores nothing/),
  ]);
  expect(await other.check()).toEqual({ damagedSessions: [] });
  await stopped.close();
  await other.close();
});

test("a healthy store asks the bucket at each check, and fails the check while the bucket does not answer [SRV-16]", async () => {
  const store = await openStore();
  const isOwner = ({ name }: { readonly name: string }) => name.endsWith("owner.json");
  const before = storage.requests.filter(isOwner).length;

  await store.check();
  const during = storage.requests.filter(isOwner).length;
  const end = storage.fail({ status: 503, when: isOwner });
  await expect(store.check()).rejects.toMatchObject({
    kind: "store-gone",
    message: expect.stringContaining("nothing is stored until it answers"),
  });
  end();

  expect(during - before).toBe(1);
  expect(await store.check()).toEqual({ damagedSessions: [] });
  await store.close();
});

test("a claim of push configs that has nothing to claim is not logged", async () => {
  const { open, namesIn } = openFolder();
  const store = await open();
  await commitTo(store, [taskAt(1)]);
  const push = {
    taskId: "task-1",
    configId: "a",
    contextId: "context-1",
    revision: "1",
    target: {
      url: "https://example.com/",
      version: "1.0",
      developmentTool: true,
      session: false,
      allEvents: false,
    },
    progress: {
      after: 1,
      isTaskDue: false,
      attempts: 0,
      failures: 1,
      hasGivenUp: false,
      nextAttemptAt: "2026-01-01T00:00:05.000Z",
    },
  } as const;
  const countOf = async (work: Promise<unknown>) => {
    const before = namesIn("log/").length;
    await work;
    return namesIn("log/").length - before;
  };
  const claim = (second: number, contextId = "context-1") =>
    store.claimPushes({ now: `2026-01-01T00:00:0${second}.000Z`, limit: 9, contextId });

  const empty = [await countOf(claim(9)), await countOf(store.resumePushes("2026"))];
  await store.savePush(push, { maxPerTask: 9 });
  const early = [await countOf(claim(4)), await countOf(claim(9, "other"))];
  const elsewhere = await countOf(store.resumePushes("2026", { contextId: "other" }));
  const due = await countOf(claim(5));

  expect({ empty, early, elsewhere, due }).toEqual({
    empty: [0, 0],
    early: [0, 0],
    elsewhere: 0,
    due: 1,
  });
  await store.close();
});

test("commands add audit records beside a running server, and an export has the records of both [TEAM-05]", async () => {
  const { prefix, open } = openFolder();
  const server = await open();
  const command = await openStore({ prefix, use: "shared" });
  const record = (minute: number, count = 1) => ({
    id: `2026-01-01T00:0${minute} a`,
    kind: "refusal" as const,
    firstAt: `2026-01-01T00:0${minute}:00.000Z`,
    lastAt: `2026-01-01T00:0${minute}:30.000Z`,
    count,
  });
  const limit = { maxRecords: 10 };
  await server.addAudit([record(2, 3), record(4)], limit);

  await command.addAudit([record(2), record(1)], limit);
  await command.addAudit([record(2)], limit);

  const all = [record(1), record(2, 5), record(4)];
  expect(await server.readAudit({ since: "", limit: 9 })).toEqual(all);
  expect(await command.readAudit({ since: "", limit: 9 })).toEqual(all);
  expect(await server.readAudit({ since: "", limit: 1, after: record(1).id })).toEqual([all[1]]);
  expect(await server.readAudit({ since: record(2).lastAt, limit: 9 })).toEqual(all.slice(1));
  expect(await server.readAudit({ since: "2026-01-01T00:02:31.000Z", limit: 9 })).toEqual([all[2]]);
  await server.close();
  await command.close();
  await rejects(command.addAudit([record(5)], limit));
  await rejects(command.check());
  await rejects(command.findTokens(["t"]));
  await rejects(command.findSession("context"));
});

test("a command refuses every method that only the owner of the bucket may call", async () => {
  const { prefix, open } = openFolder();
  const server = await open();
  const command = await openStore({ prefix, use: "shared" });
  const none = {} as never;
  const calls = [
    command.commit([]),
    command.acquire("context"),
    command.saveView(none),
    command.savePush(none, none),
    command.deletePush(none),
    command.notePush(none, none),
    command.claimPushes(none),
    command.resumePushes(""),
    command.reserveBudget(none),
    command.settleBudget("", none),
    command.createGrant(none, none),
    command.revokeGrant(none, ""),
    command.changeOwner("a", "b"),
    command.deleteSession("context"),
  ];

  const outcomes = await Promise.allSettled(calls);

  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({
      status: "rejected",
      reason: {
        name: "SetupError",
        message: `this command does not own the bucket ${storage.bucket}/${prefix}, so it cannot write to it`,
      },
    });
  }
  expect(await command.check()).toEqual({ damagedSessions: [] });
  await command.close();
  await server.close();
});

test("a command reads a session whose objects a server has just replaced", async () => {
  const { prefix, open, namesIn } = openFolder({ saveIndexAt: { bytes: 1, segments: 1 } });
  const server = await open();
  await commitTo(server, [first([1])]);
  await expect.poll(() => namesIn("sessions/").length).toBeGreaterThan(0);
  const command = await openStore({ prefix, use: "shared" });
  await command.findSession("context");
  for (const position of [2, 3, 4, 5]) await commitTo(server, [next([position])]);
  await server.close();

  const events = await command.readEvents({ contextId: "context", after: 0, limit: 9 });

  expect(events.length).toBeGreaterThan(0);
  expect(events[0]?.event).toEqual(event(1));
  await command.close();
});

test("closing a store waits for the commit that is under way", async () => {
  const { prefix, open } = openFolder();
  const store = await open();
  await commitTo(store, [first([1])]);
  const release = storage.hold(isLog);
  const before = storage.requests.filter(isLog).length;
  const committing = commitTo(store, [next([2])]);
  await expect.poll(() => storage.requests.filter(isLog).length).toBeGreaterThan(before);
  let isClosed = false;
  const closing = store.close().then(() => {
    isClosed = true;
  });
  // Many more answers than a close needs requests.
  for (let count = 0; count < 50; count += 1) await fetch(`${storage.endpoint}/b/none`);
  const early = isClosed;
  release();
  await closing;

  expect(early).toBe(false);
  expect((await committing).get("context")).toBe("stored");
  const alone = await openStore({ prefix, use: "alone" });
  expect((await alone.findSession("context"))?.lastPosition).toBe(2);
  await alone.close();
});

test("while the outcome of a commit is unknown, no session is acquired, and the check asks the bucket [SRV-23]", async () => {
  const store = await openStore();
  await commitTo(store, [first([1])]);
  const end = storage.fail({ when: isLog, isDone: true });
  await commitTo(store, [next([2])]);

  await rejects(store.acquire("other"));
  await rejects(store.check());
  end();
  const [condition, lease] = [await store.check(), await store.acquire("other")];

  expect(condition).toEqual({ damagedSessions: [] });
  expect(lease.epoch).toBe(1);
  await store.close();
});

test("in a group of unknown outcome, a session whose lease was lost is lost", async () => {
  const store = await openStore();
  await commitTo(store, [first([1]), taskAt(1)]);
  await store.acquire("context", { takesOver: true });
  const end = storage.fail({ when: isLog, isDone: true });

  const outcomes = await store.commit([second("context"), second("context-1")]);
  end();

  expect([...outcomes]).toEqual([
    ["context", "lost"],
    ["context-1", "unknown"],
  ]);
  await store.close();
});

/** Creates the second commit of a session, under its first lease. */
function second(contextId: string) {
  return {
    contextId,
    epoch: 1,
    number: 2,
    expectedHead: 1,
    events: [],
    journal: [{ type: "x" }],
    isCritical: false,
  };
}

test("a view or a token that cannot be stored is refused with the fault of the bucket [LOG-07]", async () => {
  const store = await openStore();
  await commitTo(store, [first([1])]);
  const end = storage.fail({ status: 503 });
  const fault = { kind: "store-gone", message: expect.stringContaining("answered 503") };

  await expect(
    store.saveView({ taskId: "task", contextId: "context", position: 1, json: "{}" }),
  ).rejects.toMatchObject(fault);
  await expect(store.listTokens()).rejects.toMatchObject(fault);
  await expect(store.revokeToken({ user: "a", name: "b" }, "2026")).rejects.toMatchObject(fault);
  end();

  expect(await store.findView("task")).toBeUndefined();
  expect(await store.listTokens()).toEqual([]);
  await store.close();
});

test("a store closes even if the index cannot be saved, and the next start finds every commit [LOG-01]", async () => {
  const faults: Error[] = [];
  const { prefix, open } = openFolder({ onFault: (fault) => faults.push(fault) });
  const store = await open();
  await commitTo(store, [first([1])]);
  const end = storage.fail({
    status: 403,
    when: ({ type, name }) => type === "insert" && name.startsWith(`${prefix}/index/`),
  });

  await store.close();
  end();

  expect(faults).toMatchObject([{ message: expect.stringContaining("answered 403") }]);
  const again = await open();
  expect((await again.findSession("context"))?.lastPosition).toBe(1);
  await again.close();
  await again.close();
});

/** Opens a store, and commits to it while the index cannot be saved, until its log is full. */
async function openFullStore() {
  const folder = openFolder({ saveIndexAt: { bytes: 1_000_000, segments: 1 } });
  const end = storage.fail({
    status: 403,
    when: ({ type, name }) => type === "insert" && name.startsWith(`${folder.prefix}/index/`),
  });
  const store = await folder.open();
  // With the empty segment with which the owner began, the log has eight segments.
  await commitTo(store, [first([1])]);
  for (let position = 2; position <= 7; position += 1) await commitTo(store, [next([position])]);
  return { ...folder, store, end };
}

test("a store with a full log refuses writes and checks while its index cannot be saved [SRV-16, LOG-07]", async () => {
  const { store, end, open } = await openFullStore();
  const fault = {
    kind: "store-gone",
    message: expect.stringMatching(/index .* cannot be saved \(.* answered 403 .*tried again/),
    data: { retryAfterMs: expect.any(Number) },
  };

  const writes = [commitTo(store, [next([8])]), store.addAudit([], { maxRecords: 9 })];
  const outcomes = await Promise.allSettled(writes);
  await expect(store.check()).rejects.toMatchObject(fault);
  const during = await store.findSession("context");
  end();
  await commitTo(store, [next([8])]);

  const refused = { status: "rejected", reason: fault };
  expect(outcomes).toMatchObject([refused, refused]);
  expect(during?.lastPosition).toBe(7);
  expect(await store.check()).toEqual({ damagedSessions: [] });
  const again = await open();
  const events = await again.readEvents({ contextId: "context", after: 0, limit: 99 });
  expect(events.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  await again.close();
});

test("a check of a store with a full log saves its index when the bucket answers again [SRV-16]", async () => {
  const { store, end, namesIn } = await openFullStore();
  await rejects(store.check());
  end();

  expect(await store.check()).toEqual({ damagedSessions: [] });

  expect(namesIn("index/").length).toBeGreaterThan(0);
  await commitTo(store, [next([8])]);
  await store.close();
});

test("a store with a full log notices that another server took over [SRV-23]", async () => {
  const { store, end, open } = await openFullStore();
  // From now on, a save of the first server cannot succeed, so its log stays full.
  const other = await open();
  end();

  await expect(commitTo(store, [next([8])])).rejects.toThrow(/another dt-server took over/);

  await expect(store.check()).rejects.toThrow(/another dt-server took over/);
  expect((await other.findSession("context"))?.lastPosition).toBe(7);
  await store.close();
  await other.close();
});

test("a deleted session whose objects cannot be deleted is reported, and swept at the next start", async () => {
  const faults: Error[] = [];
  const { prefix, open, namesIn } = openFolder({
    saveIndexAt: { bytes: 1, segments: 1 },
    onFault: (fault) => faults.push(fault),
  });
  const store = await open();
  await commitTo(store, [first([1])]);
  await expect.poll(() => namesIn("sessions/").length).toBeGreaterThan(0);
  const end = storage.fail({
    status: 403,
    when: ({ type, name }) => type === "delete" && name.startsWith(`${prefix}/sessions/`),
  });
  await store.deleteSession("context");
  await expect.poll(() => faults.length).toBeGreaterThan(0);
  await store.close();
  const left = namesIn("sessions/").length;
  end();

  const again = await open();
  await expect.poll(() => namesIn("sessions/")).toEqual([]);

  expect(left).toBeGreaterThan(0);
  expect(await again.findSession("context")).toBeUndefined();
  await again.close();
});
