import { randomUUID } from "node:crypto";
import { createLeaseBook, type LeaseBook } from "../lease-book.js";
import { deleteFolder } from "./bucket/delete-folder.js";
import { type ObjectBucket, ObjectGone } from "./bucket/object-bucket.js";
import { sessionFolder, taskFolder } from "./bucket/object-names.js";
import { runLimited } from "./bucket/run-limited.js";
import { decodeSegment, encodeSegment, segmentName } from "./log/segment-codec.js";
import { SegmentLog } from "./log/segment-log.js";
import { IndexSaver } from "./saved-index/index-saver.js";
import { applySegment, type LoadedState, loadState } from "./saved-index/load-state.js";
import { type OwnerVersion, readOwner, takeOwnership } from "./saved-index/owner-object.js";
import type { GcsState } from "./state/gcs-state.js";

/** Options of {@link openBucketOwner}. */
export interface BucketOwnerOptions {
  readonly bucket: ObjectBucket;
  readonly takesOver: boolean;
  readonly startedAt: string;
  readonly saveIndexAt: { readonly bytes: number; readonly segments: number };
  onFault(fault: Error): void;
  /** Called after records were applied. */
  onApplied(): void;
}

/** The ownership of a bucket, with its index. */
export interface BucketOwner extends Pick<LoadedState, "state" | "stores"> {
  readonly log: SegmentLog;
  readonly leases: LeaseBook;
  readonly saver: IndexSaver;
  /** Rejects if another process owns the bucket, if the bucket does not answer, or if the log is full. */
  check(): Promise<void>;
  /** Deletes the objects of deleted sessions. */
  sweep(): Promise<void>;
}

/** Takes a bucket over: becomes its owner, loads the index, and ends the log of the previous owner. */
export async function openBucketOwner(options: BucketOwnerOptions): Promise<BucketOwner> {
  const { bucket, onFault } = options;
  const id = randomUUID();
  const owner = await takeOwnership(bucket, { ...options, owner: id });
  const loaded = await loadState(bucket, owner.record.index);
  const seal = await sealLog(bucket, id, loaded);
  const { state, stores, leftovers } = loaded;
  const leases = createLeaseBook();
  const log = new SegmentLog({
    bucket,
    owner: id,
    lastNumber: seal.number,
    apply: (record) => stores.apply(record),
    onStored(bytes) {
      saver.noteSegment(bytes);
      options.onApplied();
    },
    onTakenOver() {
      leases.loseAll();
      onFault(log.lose());
    },
    waitForRoom: () => saver.waitForRoom(),
  });
  const saver = createIndexSaver(options, { owner, loaded, seal, log });
  await deleteLeftovers(bucket, leftovers, owner);

  async function check(): Promise<void> {
    if (log.fault !== undefined) throw log.fault;
    const generation = await bucket.findGeneration("owner.json");
    if (generation !== saver.generation) {
      const found = await readOwner(bucket);
      if (found?.record.owner !== id) throw log.lose();
    }
    // A full log accepts no records. The check tries to save its index, because nobody may write meanwhile.
    await saver.waitForRoom();
  }

  return { state, stores, log, leases, saver, check, sweep: createSweep(bucket, state) };
}

function createIndexSaver(
  { bucket, saveIndexAt, onFault }: BucketOwnerOptions,
  parts: {
    readonly owner: OwnerVersion;
    readonly loaded: LoadedState;
    readonly seal: { readonly number: number };
    readonly log: SegmentLog;
  },
): IndexSaver {
  const { owner, loaded, seal, log } = parts;
  const { through } = owner.record.index;
  return new IndexSaver({
    bucket,
    state: loaded.state,
    owner,
    seals: [...loaded.seals, seal.number],
    pending: { bytes: loaded.bytes, segments: seal.number - through },
    limits: saveIndexAt,
    lastNumber: () => log.lastNumber,
    onTakenOver: () => log.lose(),
    onFault: (reason) => onFault(reason instanceof Error ? reason : new Error(String(reason))),
  });
}

/**
 * Stores an empty segment, which compaction keeps. It has the number that the previous owner would use next. So the
 * previous owner cannot store another segment, and learns from this that it has lost the bucket, even if its process
 * was paused for long.
 */
async function sealLog(
  bucket: ObjectBucket,
  owner: string,
  { lastNumber, stores }: LoadedState,
): Promise<{ readonly number: number }> {
  for (let number = lastNumber + 1; ; number += 1) {
    const name = segmentName(number);
    const body = encodeSegment({ number, owner, records: [] });
    if (await bucket.create(name, body)) return { number };
    const found = await bucket.read(name);
    if (found === undefined) throw new ObjectGone(bucket.place, name);
    if (found.toString() === body) return { number };
    applySegment(decodeSegment(name, found.toString()), stores);
  }
}

/** Deletes objects that earlier saves replaced. */
async function deleteLeftovers(
  bucket: ObjectBucket,
  numbers: readonly number[],
  { record }: OwnerVersion,
): Promise<void> {
  const used = new Set(Object.values(record.index.shards));
  await deleteFolder(bucket, "index/", used);
  await runLimited(numbers, (number) => bucket.delete(segmentName(number)));
}

/** Creates the function that deletes the objects of deleted sessions. A call during a sweep waits for that sweep. */
function createSweep(bucket: ObjectBucket, { tables }: GcsState): () => Promise<void> {
  const { sessions, deletions, tasks } = tables;
  let running: Promise<void> | undefined;

  async function sweep(): Promise<void> {
    for (const [contextId, deletion] of deletions) {
      const kept = new Set(sessions.get(contextId)?.segments.map(({ name }) => name));
      await deleteFolder(bucket, sessionFolder(contextId), kept);
      for (const taskId of deletion.taskIds) {
        if (!tasks.has(taskId)) await deleteFolder(bucket, taskFolder(taskId));
      }
      if (deletions.get(contextId) === deletion) deletions.delete(contextId);
    }
  }

  return () => {
    running ??= sweep().finally(() => {
      running = undefined;
    });
    return running;
  };
}
