import { SetupError } from "@dt/schema";
import type { ObjectBucket } from "../bucket/object-bucket.js";

/** Name of the object that says which process may write, and where the saved index is. */
export const OWNER_NAME = "owner.json";

/** Version of the layout of a bucket. */
const FORMAT = 1;

/** Content of the owner object. */
export interface OwnerRecord {
  readonly format: number;
  /** Id of the process that writes. */
  readonly owner: string;
  readonly startedAt: string;
  /** True if that process has ended and stored everything. */
  readonly isReleased: boolean;
  readonly index: SavedIndex;
}

/** The index as it was saved after a segment of the log. */
export interface SavedIndex {
  /** Number of the last segment that the saved index contains. */
  readonly through: number;
  /** Name of the object of each shard that is not empty. */
  readonly shards: Readonly<Record<string, string>>;
  /** Numbers of the segments with which later owners ended the log of earlier ones. They are kept. */
  readonly seals: readonly number[];
}

/** The owner object with its generation. */
export interface OwnerVersion {
  readonly record: OwnerRecord;
  readonly generation: string;
}

/** The saved index of an empty bucket. */
export const EMPTY_INDEX: SavedIndex = { through: 0, shards: {}, seals: [] };

/** Reads the owner object; undefined if the bucket has none. */
export async function readOwner(bucket: ObjectBucket): Promise<OwnerVersion | undefined> {
  const found = await bucket.readVersion(OWNER_NAME);
  if (found === undefined) return undefined;
  const record = JSON.parse(found.body.toString()) as OwnerRecord;
  if (record.format > FORMAT) {
    throw new SetupError(
      `the bucket ${bucket.place} was written by a newer dt; start that version`,
    );
  }
  return { record, generation: found.generation };
}

/** Options of {@link takeOwnership}. */
export interface TakeOwnershipOptions {
  readonly owner: string;
  readonly startedAt: string;
  /**
   * True if the bucket is taken even from a process that may still run. Otherwise a bucket that is in use is refused.
   */
  readonly takesOver: boolean;
}

/** Makes a process the owner of a bucket. From then on, the previous owner can no longer save its index. */
export async function takeOwnership(
  bucket: ObjectBucket,
  { owner, startedAt, takesOver }: TakeOwnershipOptions,
): Promise<OwnerVersion> {
  for (;;) {
    const before = await readOwner(bucket);
    if (before?.record.owner === owner) return before;
    if (before !== undefined && !before.record.isReleased && !takesOver) {
      throw new SetupError(
        `the bucket ${bucket.place} is in use by a dt-server that started at ${before.record.startedAt}; stop it first (if it has crashed, start it and stop it)`,
      );
    }
    const index = before?.record.index ?? EMPTY_INDEX;
    const record = { format: FORMAT, owner, startedAt, isReleased: false, index };
    const body = JSON.stringify(record);
    const generation = await bucket.replace(OWNER_NAME, body, before?.generation ?? "0");
    if (generation !== undefined) return { record, generation };
  }
}

/** Replaces the owner object of this process. Returns undefined if another process owns the bucket. */
export async function replaceOwner(
  bucket: ObjectBucket,
  record: OwnerRecord,
  generation: string,
): Promise<OwnerVersion | undefined> {
  const body = JSON.stringify(record);
  for (let expected = generation; ; ) {
    const next = await bucket.replace(OWNER_NAME, body, expected);
    if (next !== undefined) return { record, generation: next };
    // The newer object may be from this process too: the answer to an earlier attempt or to an earlier save was lost.
    const found = await readOwner(bucket);
    if (found === undefined || found.record.owner !== record.owner) return undefined;
    if (JSON.stringify(found.record) === body) return { record, generation: found.generation };
    expected = found.generation;
  }
}
