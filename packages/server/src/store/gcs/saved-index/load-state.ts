import { receiptKey } from "../../memory/memory-state.js";
import { type ObjectBucket, ObjectGone } from "../bucket/object-bucket.js";
import { runLimited } from "../bucket/run-limited.js";
import {
  decodeSegment,
  LOG_FOLDER,
  type LogSegment,
  segmentName,
  segmentNumberOf,
} from "../log/segment-codec.js";
import { createIndexedStores, type IndexedStores } from "../state/apply-record.js";
import { createGcsState, type GcsState, loadedOf } from "../state/gcs-state.js";
import type { SavedIndex } from "./owner-object.js";
import { decodeShard } from "./shard-codec.js";

/** A loaded index, and what is known about the segments of the log. */
export interface LoadedState {
  readonly state: GcsState;
  readonly stores: IndexedStores;
  /** Number of the last segment that was applied. */
  readonly lastNumber: number;
  /** Numbers of the empty segments with which owners ended the logs of previous owners. */
  readonly seals: readonly number[];
  /** Size of the segments after the saved index. */
  readonly bytes: number;
  /** Numbers of segments that should be deleted, because the saved index contains their records. */
  readonly leftovers: readonly number[];
}

/** Loads the index: the saved shards, then the segments after it. */
export async function loadState(bucket: ObjectBucket, saved: SavedIndex): Promise<LoadedState> {
  const state = createGcsState();
  const stores = createIndexedStores(state);
  await runLimited(Object.values(saved.shards), async (name) =>
    decodeShard(await readText(bucket, name), state.tables),
  );
  for (const { contextId, taskId } of state.tables.tasks.values()) {
    loadedOf(state, contextId).taskIds.add(taskId);
  }
  for (const receipt of state.tables.receipts.values()) {
    loadedOf(state, receipt.contextId).receiptKeys.add(receiptKey(receipt));
  }
  const found = (await bucket.list(LOG_FOLDER)).flatMap((name) => segmentNumberOf(name) ?? []);
  const { through } = saved;
  const numbers = found.filter((number) => number > through);
  const leftovers = found.filter((number) => number <= through && !saved.seals.includes(number));
  const { bytes, seals } = await replay(bucket, { numbers, through, stores });
  const lastNumber = through + numbers.length;
  return { state, stores, lastNumber, seals, bytes, leftovers };
}

/** Number of segments that are read together, before they are applied one by one. */
const WINDOW = 64;

async function replay(
  bucket: ObjectBucket,
  options: {
    readonly numbers: readonly number[];
    readonly through: number;
    readonly stores: IndexedStores;
  },
) {
  const { numbers, through, stores } = options;
  const seals: number[] = [];
  let bytes = 0;
  for (let start = 0; start < numbers.length; start += WINDOW) {
    const window = numbers.slice(start, start + WINDOW);
    const texts = await runLimited(window, (number) => readText(bucket, segmentName(number)));
    for (const [index, number] of window.entries()) {
      const expected = through + start + index + 1;
      if (number !== expected) {
        throw new Error(`the bucket ${bucket.place} has no segment ${segmentName(expected)}`);
      }
      const text = texts[index] ?? "";
      const segment = decodeSegment(segmentName(number), text);
      bytes += text.length;
      if (segment.records.length === 0) seals.push(number);
      applySegment(segment, stores);
    }
  }
  return { bytes, seals };
}

/** Applies a segment of the log again. */
export function applySegment({ records }: LogSegment, stores: IndexedStores): void {
  // A call that failed had no effect, and fails again.
  for (const record of records) stores.apply(record).catch(() => {});
}

async function readText(bucket: ObjectBucket, name: string): Promise<string> {
  const body = await bucket.read(name);
  if (body === undefined) throw new ObjectGone(bucket.place, name);
  return body.toString();
}
