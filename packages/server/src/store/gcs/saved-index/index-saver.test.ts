import { expect, onTestFinished, test, vi } from "vitest";
import { event, session } from "../../../testing/store-checks.js";
import type { Commit } from "../../commit.js";
import type { ObjectBucket } from "../bucket/object-bucket.js";
import { segmentName } from "../log/segment-codec.js";
import { applyToIndex, createGcsState, removeFromIndex } from "../state/gcs-state.js";
import { IndexSaver } from "./index-saver.js";
import { EMPTY_INDEX, type OwnerRecord } from "./owner-object.js";

/** Creates a bucket in memory. */
function createBucket() {
  const objects = new Map<string, { body: string; generation: string }>();
  let generations = 0;
  const stage = { onWrite: async (_name: string): Promise<void> => {} };
  const put = async (name: string, body: string | Buffer) => {
    await stage.onWrite(name);
    generations += 1;
    objects.set(name, { body: String(body), generation: String(generations) });
    return String(generations);
  };
  const bucket: ObjectBucket = {
    place: "bucket",
    async create(name, body) {
      return !objects.has(name) && (await put(name, body)) !== "";
    },
    async replace(name, body, generation) {
      return (objects.get(name)?.generation ?? "0") === generation
        ? await put(name, body)
        : undefined;
    },
    write: async (name, body) => void (await put(name, body)),
    async read(name) {
      const found = objects.get(name);
      return found && Buffer.from(found.body);
    },
    async readVersion(name) {
      const found = objects.get(name);
      return found && { body: Buffer.from(found.body), generation: found.generation };
    },
    findGeneration: async (name) => objects.get(name)?.generation,
    list: async (folder) => [...objects.keys()].filter((name) => name.startsWith(folder)).sort(),
    delete: async (name) => void objects.delete(name),
  };
  return Object.assign(stage, { bucket, objects, put });
}

/** Opens a saver whose log has the segment 1, which is a seal. */
async function openSaver(limits = { bytes: 1_000, segments: 3 }) {
  const stage = createBucket();
  const { bucket, objects } = stage;
  const state = createGcsState();
  const faults: unknown[] = [];
  const record: OwnerRecord = {
    format: 1,
    owner: "process-one",
    startedAt: session.createdAt,
    isReleased: false,
    index: EMPTY_INDEX,
  };
  const generation = await stage.put("owner.json", JSON.stringify(record));
  await stage.put(segmentName(1), "seal");
  let last = 1;
  let losses = 0;
  const saver = new IndexSaver({
    bucket,
    state,
    owner: { record, generation },
    seals: [1],
    pending: { bytes: 0, segments: 1 },
    limits,
    lastNumber: () => last,
    onTakenOver: () => {
      losses += 1;
      return new Error("taken over");
    },
    onFault: (reason) => faults.push(reason),
  });
  return Object.assign(stage, {
    state,
    saver,
    faults,
    losses: () => losses,
    owner: (): OwnerRecord => JSON.parse(objects.get("owner.json")?.body ?? "{}"),
    namesIn: (folder: string) => [...objects.keys()].filter((name) => name.startsWith(folder)),
    /** Stores a segment with one commit of the session, and applies it. */
    async append(bytes = 100) {
      last += 1;
      await stage.put(segmentName(last), "segment");
      const position = state.tables.sessions.get("context")?.lastPosition ?? 0;
      const commit: Commit = {
        contextId: "context",
        epoch: 1,
        number: position + 1,
        expectedHead: position,
        ...(position === 0 && { session }),
        events: [{ position: position + 1, epoch: 1, event: event(position + 1) }],
        journal: [],
        isCritical: false,
      };
      applyToIndex(state, commit);
      saver.noteSegment(bytes);
    },
  });
}

const settle = async () => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
};

test("a save moves commits to a segment of their session, and keeps only seals in the log", async () => {
  const stage = await openSaver();
  await stage.append();
  const early = stage.owner().index.through;
  await stage.append();
  await settle();

  expect(early).toBe(0);
  expect(stage.owner().index).toMatchObject({ through: 3, seals: [1] });
  expect(stage.namesIn("log/")).toEqual([segmentName(1)]);
  expect(stage.namesIn("sessions/context/")).toEqual([
    "sessions/context/000000000000-3-process-.jsonl",
  ]);
  expect(Object.values(stage.owner().index.shards).sort()).toEqual(stage.namesIn("index/").sort());
  for (const name of stage.namesIn("index/")) {
    expect(name).toMatch(/^index\/\d\d-3-process-\.jsonl$/);
  }
  expect(stage.state.loaded.get("context")?.tail).toEqual([]);
  expect(stage.state.changed.size).toBe(0);
});

test("a save begins when the log has the limit of bytes", async () => {
  const stage = await openSaver({ bytes: 300, segments: 100 });
  await stage.append(100);
  await stage.append(199);
  await settle();
  const early = stage.owner().index.through;

  await stage.append(1);
  await settle();

  expect([early, stage.owner().index.through]).toEqual([0, 4]);
});

test("a later save joins small segments of a session, and deletes the ones that it replaced", async () => {
  const stage = await openSaver();
  await stage.append();
  await stage.saver.write();
  await stage.append();
  await stage.saver.write();

  const [name = "", ...others] = stage.namesIn("sessions/context/");
  expect(others).toEqual([]);
  expect(stage.objects.get(name)?.body.trim().split("\n")).toHaveLength(2);
  expect(stage.state.tables.sessions.get("context")?.segments).toMatchObject([
    { name, after: 0, last: 2 },
  ]);
  expect(stage.namesIn("index/").sort()).toEqual(Object.values(stage.owner().index.shards).sort());
});

test("a save that fails is reported, and the next one saves everything", async () => {
  const stage = await openSaver({ bytes: 1_000, segments: 2 });
  stage.onWrite = async (name) => {
    if (name.startsWith("index/")) throw new Error("no answer");
  };
  await stage.append();
  await settle();
  const failed = [stage.owner().index.through, stage.state.changed.size > 0];
  stage.onWrite = async () => {};

  await stage.saver.write();

  expect(failed).toEqual([0, true]);
  expect(stage.faults).toMatchObject([{ message: "no answer" }]);
  expect(stage.owner().index.through).toBe(2);
  expect(stage.namesIn("index/").length).toBeGreaterThan(0);
});

test("a save whose answer was lost does not make the next save take the bucket for another's", async () => {
  const stage = await openSaver();
  await stage.append();
  const { replace } = stage.bucket;
  stage.bucket.replace = async (...args) => {
    await replace(...args);
    throw new Error("no answer");
  };
  await stage.saver.write().catch(() => {});
  stage.bucket.replace = replace;
  await stage.append();

  await stage.saver.write();

  expect(stage.losses()).toBe(0);
  expect(stage.owner().index.through).toBe(3);
});

test("a save by a process that no longer owns the bucket deletes nothing", async () => {
  const stage = await openSaver();
  await stage.append();
  await stage.put("owner.json", JSON.stringify({ ...stage.owner(), owner: "process-two" }));

  await stage.saver.write();

  expect(stage.losses()).toBe(1);
  expect(stage.owner().owner).toBe("process-two");
  expect(stage.namesIn("log/")).toEqual([segmentName(1), segmentName(2)]);
});

test("a session that is deleted during a save leaves no segment behind", async () => {
  const stage = await openSaver();
  await stage.append();
  stage.onWrite = async (name) => {
    if (name.startsWith("sessions/")) removeFromIndex(stage.state, "context");
  };

  await stage.saver.write();
  await settle();

  expect(stage.namesIn("sessions/")).toEqual([]);
  expect(stage.state.tables.sessions.has("context")).toBe(false);
});

test("commits that are added during a save stay in memory, and are saved by the next one", async () => {
  const stage = await openSaver({ bytes: 1_000, segments: 100 });
  await stage.append();
  let appended: Promise<void> | undefined;
  stage.onWrite = async (name) => {
    if (name.startsWith("sessions/")) appended ??= stage.append();
  };

  await stage.saver.write();
  await appended;
  const tail = stage.state.loaded.get("context")?.tail.length;
  const through = stage.owner().index.through;
  await stage.saver.write();

  expect([tail, through, stage.owner().index.through]).toEqual([1, 2, 3]);
  expect(stage.state.tables.sessions.get("context")?.segments.at(-1)?.last).toBe(2);
  expect(stage.state.loaded.get("context")?.tail).toEqual([]);
});

test("calls during a save wait for that save, and share it", async () => {
  const stage = await openSaver();
  await stage.append();
  const names: string[] = [];
  stage.onWrite = async (name) => void names.push(name);

  const [one, other] = [stage.saver.write(), stage.saver.write()];
  await Promise.all([one, other]);

  expect(one).toBe(other);
  expect(names.filter((name) => name === "owner.json")).toHaveLength(1);
});

test("after a deletion, the index is saved within a minute, once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const stage = await openSaver();
  await stage.append();

  stage.saver.saveSoon();
  stage.saver.saveSoon();
  const timers = vi.getTimerCount();
  vi.advanceTimersByTime(59_999);
  await settle();
  const early = stage.owner().index.through;
  vi.advanceTimersByTime(1);
  await settle();
  const saved = stage.owner().index.through;
  await stage.append();
  stage.saver.saveSoon();
  vi.advanceTimersByTime(60_000);
  await settle();

  expect([timers, early, saved, stage.owner().index.through]).toEqual([1, 0, 2, 3]);
});

test("closing saves what is left, and releases the bucket", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const stage = await openSaver();
  await stage.append();
  stage.saver.saveSoon();

  await stage.saver.close();

  expect(stage.owner()).toMatchObject({ isReleased: true, owner: "process-one" });
  expect(stage.owner().index.through).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});

test("the log has room until it is eight times as large as its limits, and then waits for a save", async () => {
  const stage = await openSaver({ bytes: 100, segments: 1_000 });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  stage.onWrite = async (name) => {
    if (name.startsWith("index/")) await held;
  };
  await stage.append(799);
  await stage.saver.waitForRoom();
  await stage.append(1);
  let hasRoom = false;
  const waiting = stage.saver.waitForRoom().then(() => {
    hasRoom = true;
  });
  await settle();
  const early = hasRoom;
  release();
  await waiting;

  expect(early).toBe(false);
  expect(stage.owner().index.through).toBe(2);
});

test("a full log has no room while its index cannot be saved, and has room after the next save", async () => {
  const stage = await openSaver({ bytes: 100, segments: 1_000 });
  stage.onWrite = async (name) => {
    if (name.startsWith("index/")) throw new Error("no permission");
  };
  await stage.append(800);

  await expect(stage.saver.waitForRoom()).rejects.toMatchObject({
    kind: "store-gone",
    message:
      "the index of the bucket bucket cannot be saved (no permission), so its log is full; nothing is stored until the index is saved, which is tried again at each write and each check",
  });
  stage.onWrite = async () => {};
  await stage.saver.waitForRoom();

  expect(stage.owner().index.through).toBe(2);
});

test("a full log has no room if another process owns the bucket", async () => {
  const stage = await openSaver({ bytes: 100, segments: 1_000 });
  await stage.put("owner.json", JSON.stringify({ ...stage.owner(), owner: "process-two" }));
  await stage.append(800);

  await expect(stage.saver.waitForRoom()).rejects.toThrow("taken over");
  await expect(stage.saver.waitForRoom()).rejects.toThrow("taken over");

  expect(stage.losses()).toBe(1);
});

test("segments that are stored during a save stay in the log", async () => {
  const stage = await openSaver({ bytes: 1_000, segments: 100 });
  await stage.append();
  await stage.saver.write();
  await stage.append();
  let appended: Promise<void> | undefined;
  stage.onWrite = async (name) => {
    if (name.startsWith("sessions/")) appended ??= stage.append();
  };

  await stage.saver.write();
  await appended;

  expect(stage.owner().index.through).toBe(3);
  expect(stage.namesIn("log/")).toEqual([segmentName(1), segmentName(4)]);
});

test("closing saves the index if there are new segments or changes, and else only releases the bucket", async () => {
  const sealed = await openSaver();
  await sealed.saver.close();
  const changed = await openSaver();
  await changed.saver.write();
  changed.state.tables.unprojected.set("task", true);
  await changed.saver.close();
  const unchanged = await openSaver();
  await unchanged.saver.write();
  const names: string[] = [];
  unchanged.onWrite = async (name) => void names.push(name);
  await unchanged.saver.close();

  expect(sealed.owner()).toMatchObject({ isReleased: true, index: { through: 1 } });
  expect(changed.namesIn("index/")).toHaveLength(1);
  expect(names).toEqual(["owner.json"]);
});
