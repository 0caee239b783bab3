import { expect, test } from "vitest";
import { BucketFault, type ObjectBucket } from "../bucket/object-bucket.js";
import { decodeSegment, segmentName } from "./segment-codec.js";
import { SegmentLog } from "./segment-log.js";
import type { StoreRecord } from "./store-record.js";

const recordOf = (name: string): StoreRecord => ({ call: "deleteSession", args: [name] });
const nameOf = (record: StoreRecord) => ("call" in record ? String(record.args[0]) : "commit");
const fault = (isUncertain: boolean) => new BucketFault("no answer", { isUncertain });

/** Opens a log on a bucket in memory. */
function openLog() {
  const objects = new Map<string, string>();
  const stage = {
    applied: [] as string[],
    stored: [] as number[],
    losses: 0,
    /** Waits for room in the log. Throws to refuse it. */
    waitForRoom: async (): Promise<void> => {},
    /** Called before an object is created. Throws to fail the request. */
    onCreate: async (): Promise<void> => {},
    /** True if an object is created although its request fails. */
    isDone: false,
  };
  const bucket = {
    place: "bucket",
    async create(name: string, body: string) {
      const isNew = !objects.has(name);
      if (stage.isDone && isNew) objects.set(name, body);
      await stage.onCreate();
      if (isNew) objects.set(name, body);
      return isNew;
    },
    async read(name: string) {
      const body = objects.get(name);
      return body === undefined ? undefined : Buffer.from(body);
    },
  } as Partial<ObjectBucket> as ObjectBucket;
  const log = new SegmentLog({
    bucket,
    owner: "me",
    lastNumber: 4,
    async apply(record) {
      stage.applied.push(nameOf(record));
      if (nameOf(record) === "fails") throw new Error("refused by the state");
      return `result of ${nameOf(record)}`;
    },
    onStored: (bytes) => stage.stored.push(bytes),
    onTakenOver: () => {
      stage.losses += 1;
    },
    waitForRoom: () => stage.waitForRoom(),
  });
  return Object.assign(stage, {
    log,
    objects,
    add: (names: readonly string[], needsState = false) =>
      log.run({
        needsState,
        plan: () => names.map(recordOf),
        finish: (results) => results,
      }),
    /** The names of the records in each segment. */
    segments: () =>
      [...objects].map(([name, body]) => decodeSegment(name, body).records.map(nameOf)),
  });
}

test("work of one moment shares a segment, and each gets the results of its own records", async () => {
  const stage = openLog();

  const results = await Promise.all([stage.add(["a", "b"]), stage.add([]), stage.add(["c"])]);

  expect(results).toEqual([["result of a", "result of b"], [], ["result of c"]]);
  expect(stage.segments()).toEqual([["a", "b", "c"]]);
  expect([...stage.objects.keys()]).toEqual([segmentName(5)]);
  expect(stage.log.lastNumber).toBe(5);
  expect(stage.stored).toEqual([stage.objects.get(segmentName(5))?.length]);
});

test("work that needs the state begins the next segment, after the earlier records were applied", async () => {
  const stage = openLog();
  const seen: string[][] = [];
  const needing = (name: string) =>
    stage.log.run({
      needsState: true,
      plan() {
        seen.push([...stage.applied]);
        return [recordOf(name)];
      },
      finish: () => name,
    });

  await Promise.all([stage.add(["a"]), needing("b"), stage.add(["c"]), needing("d")]);

  expect(stage.segments()).toEqual([["a"], ["b", "c"], ["d"]]);
  expect(seen).toEqual([["a"], ["a", "b", "c"]]);
});

test("work without records stores no segment, and work that cannot be planned is refused alone", async () => {
  const stage = openLog();
  const unplanned = stage.log.run({
    needsState: false,
    plan() {
      throw new Error("the head differs");
    },
    finish: () => undefined,
  });
  const refused = expect(unplanned).rejects.toThrow("the head differs");

  expect(await Promise.all([stage.add([]), stage.add(["a"])])).toEqual([[], ["result of a"]]);
  await refused;
  expect(await stage.add([])).toEqual([]);
  expect(stage.segments()).toEqual([["a"]]);
});

test("a record that the state refuses rejects only its own work", async () => {
  const stage = openLog();

  const [one, other] = await Promise.allSettled([stage.add(["fails"]), stage.add(["a"])]);

  expect(one).toMatchObject({ reason: { message: "refused by the state" } });
  expect(other).toMatchObject({ value: ["result of a"] });
});

test("a segment that was refused for certain is not applied, and its number is used again", async () => {
  const stage = openLog();
  stage.onCreate = async () => {
    throw fault(false);
  };

  await expect(stage.add(["a"])).rejects.toMatchObject({ kind: "store-gone" });
  const isInDoubt = stage.log.isInDoubt;
  stage.onCreate = async () => {};
  await stage.add(["b"]);

  expect([isInDoubt, stage.applied]).toEqual([false, ["b"]]);
  expect([...stage.objects.keys()]).toEqual([segmentName(5)]);
});

test.each([true, false])(
  "a segment of unknown outcome is stored before anything else, and applied once (it was stored: %s)",
  async (isDone) => {
    const stage = openLog();
    stage.isDone = isDone;
    stage.onCreate = async () => {
      throw fault(true);
    };
    const doubted = stage.log.run({
      needsState: false,
      plan: () => [recordOf("a")],
      finish: () => "stored",
      doubt: () => "unknown",
    });
    const rejected = expect(stage.add(["b"])).rejects.toMatchObject({ kind: "store-gone" });
    const outcome = await doubted;
    await rejected;
    const before = [stage.log.isInDoubt, stage.log.lastNumber];
    await expect(stage.log.settle()).rejects.toMatchObject({ kind: "store-gone" });
    stage.onCreate = async () => {};
    stage.isDone = false;

    await stage.log.settle();
    const applied = [...stage.applied];
    await stage.add(["c"]);

    expect([outcome, before]).toEqual(["unknown", [true, 4]]);
    expect([stage.log.isInDoubt, applied, stage.applied]).toEqual([
      false,
      ["a", "b"],
      ["a", "b", "c"],
    ]);
    expect(stage.segments()).toEqual([["a", "b"], ["c"]]);
    expect(stage.log.lastNumber).toBe(6);
  },
);

test("a log whose next number another process has used is lost, once and for all later work", async () => {
  const stage = openLog();
  stage.objects.set(segmentName(5), "another segment");

  await expect(stage.add(["a"])).rejects.toThrow(/another dt-server took over the bucket/);
  const calls = stage.log.fault;
  await expect(stage.add(["b"])).rejects.toBe(calls);
  await expect(stage.log.settle()).rejects.toBe(calls);

  expect(stage.log.lose()).toBe(calls);
  expect([stage.losses, stage.applied]).toEqual([1, []]);
});

test("a segment whose answer was lost is recognised as our own", async () => {
  const stage = openLog();
  let body = "";
  stage.onCreate = async () => {
    body = stage.objects.get(segmentName(5)) ?? "";
  };
  stage.isDone = true;

  expect(await stage.add(["a"])).toEqual(["result of a"]);
  expect(body).not.toBe("");
  expect(stage.losses).toBe(0);
});

test("a full log without room refuses the work that waits, and stores later work when there is room", async () => {
  const stage = openLog();
  stage.waitForRoom = async () => {
    throw fault(true);
  };
  const doubt = () => "unknown";
  const commit = stage.log.run({
    needsState: true,
    plan: () => [recordOf("a")],
    finish: () => "",
    doubt,
  });

  const outcomes = await Promise.allSettled([commit, stage.add(["b"]), stage.add(["c"], true)]);
  await stage.log.drain();
  stage.waitForRoom = async () => {};
  await stage.add(["d"]);

  const refused = { status: "rejected", reason: { kind: "store-gone" } };
  expect(outcomes).toMatchObject([refused, refused, refused]);
  expect([stage.log.isInDoubt, stage.segments()]).toEqual([false, [["d"]]]);
});

test("a segment of unknown outcome is settled even if the log has no room", async () => {
  const stage = openLog();
  stage.onCreate = async () => {
    throw fault(true);
  };
  await expect(stage.add(["a"])).rejects.toMatchObject({ kind: "store-gone" });
  stage.onCreate = async () => {};
  stage.waitForRoom = async () => {
    throw fault(false);
  };

  await expect(stage.add(["b"])).rejects.toMatchObject({ kind: "store-gone" });

  expect([stage.log.isInDoubt, stage.segments()]).toEqual([false, [["a"]]]);
});

test("a full log waits for room, and draining waits for everything that was added", async () => {
  const stage = openLog();
  let makeRoom = () => {};
  const room = new Promise<void>((resolve) => {
    makeRoom = resolve;
  });
  stage.waitForRoom = () => room;
  const added = stage.add(["a"]);
  let isDrained = false;
  const draining = stage.log.drain().then(() => {
    isDrained = true;
  });
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  const early = [isDrained, stage.objects.size];
  makeRoom();
  await draining;

  expect(early).toEqual([false, 0]);
  expect(await added).toEqual(["result of a"]);
  expect(stage.segments()).toEqual([["a"]]);
  await stage.log.drain();
});
