import { StoreFault } from "../../store-fault.js";
import type { ObjectBucket } from "../bucket/object-bucket.js";
import { runLimited } from "../bucket/run-limited.js";
import { segmentName } from "../log/segment-codec.js";
import type { GcsState } from "../state/gcs-state.js";
import { type MovedTail, moveTail, takeTails } from "./move-tails.js";
import { type OwnerVersion, replaceOwner, type SavedIndex } from "./owner-object.js";
import { encodeShard, takeShard } from "./shard-codec.js";

/** Options of {@link IndexSaver}. */
export interface IndexSaverOptions {
  readonly bucket: ObjectBucket;
  readonly state: GcsState;
  /** The owner object as this process wrote it. */
  readonly owner: OwnerVersion;
  /** Numbers of the empty segments with which owners ended the logs of previous owners. They are kept. */
  readonly seals: readonly number[];
  /** Size and number of the segments after the saved index. */
  readonly pending: { readonly bytes: number; readonly segments: number };
  /** The index is saved if its segments reach this size or this number. */
  readonly limits: { readonly bytes: number; readonly segments: number };
  lastNumber(): number;
  /** Called if another process owns the bucket. Returns the fault of later work. */
  onTakenOver(): Error;
  /** Called with the error of an automatic save. The save is tried again after the next segment. */
  onFault(reason: unknown): void;
}

/** Number of seals that are kept. No process is expected to pause while the bucket changes its owner this often. */
const MAX_SEALS = 1_000;
/** Longest time for which the log keeps a deleted session. */
const SAVE_SOON_MS = 60_000;
/** If the log is this many times larger than its limit, it accepts no records until the index is saved. */
const MAX_GROWTH = 8;

/**
 * Compacts the log. Commits move to segments of their sessions, and everything else moves to the shards of
 * the index. The owner object then names the new shards, and the segments of the log whose records have moved
 * are deleted. A crash in between loses nothing, because only objects that the owner object no longer needs
 * are deleted.
 */
export class IndexSaver {
  private readonly options: IndexSaverOptions;
  private owner: OwnerVersion;
  private seals: readonly number[];
  private bytes: number;
  private segments: number;
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** The reason why nothing more is saved; undefined while this process owns the bucket. */
  private loss: Error | undefined;

  constructor(options: IndexSaverOptions) {
    this.options = options;
    this.owner = options.owner;
    this.seals = [...options.owner.record.index.seals, ...options.seals].slice(-MAX_SEALS);
    this.bytes = options.pending.bytes;
    this.segments = options.pending.segments;
  }

  /** Generation of the owner object as this process wrote it. */
  get generation(): string {
    return this.owner.generation;
  }

  /** Counts a stored segment, and saves the index if the log is long enough. */
  noteSegment(bytes: number): void {
    this.bytes += bytes;
    this.segments += 1;
    const { limits, onFault } = this.options;
    if (this.bytes < limits.bytes && this.segments < limits.segments) return;
    this.write().catch(onFault);
  }

  /** Saves the index within a minute, so that the log does not keep a deleted session for longer. */
  saveSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.write().catch(this.options.onFault);
    }, SAVE_SOON_MS).unref();
  }

  /** Resolves when the log may grow. Rejects if the log is full, and its index cannot be saved. */
  async waitForRoom(): Promise<void> {
    const { limits } = this.options;
    const isFull = () =>
      this.bytes >= MAX_GROWTH * limits.bytes || this.segments >= MAX_GROWTH * limits.segments;
    while (isFull()) {
      if (this.loss !== undefined) throw this.loss;
      await this.write().catch((cause: unknown) => {
        throw this.toFullLogFault(cause);
      });
    }
  }

  /** Saves the index. A call during a save waits for that save. */
  write(): Promise<void> {
    this.running ??= this.writeOnce().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** Saves the index for the last time, and releases the bucket. */
  async close(): Promise<void> {
    await this.running?.catch(() => {});
    clearTimeout(this.timer);
    if (this.segments > 0 || this.options.state.changed.size > 0) await this.write();
    const record = { ...this.owner.record, isReleased: true };
    await replaceOwner(this.options.bucket, record, this.owner.generation);
  }

  private async writeOnce(): Promise<void> {
    const { bucket, state, onTakenOver } = this.options;
    const { record, generation } = this.owner;
    const before = record.index;
    // Everything is copied before the first `await`, so that the saved index is the state right after one segment.
    const through = this.options.lastNumber();
    const [bytes, segments] = [this.bytes, this.segments];
    const moves = takeTails(state);
    const changed = [...state.changed];
    const shards = changed.map((shard) => [shard, takeShard(state.tables, shard)] as const);
    state.changed.clear();
    const suffix = `${through}-${record.owner.slice(0, 8)}`;
    try {
      const moved = await runLimited(moves, (move) => moveTail(bucket, move, suffix));
      const segmentsOf = new Map(moved.map(({ move, segments }) => [move.contextId, segments]));
      const written = await runLimited(shards, async ([shard, entries]) => {
        const sessions = (entries.get("sessions") ?? []).map(([contextId, session]) => {
          const moved = segmentsOf.get(contextId);
          return [
            contextId,
            moved ? { ...(session as object), segments: moved } : session,
          ] as const;
        });
        const text = encodeShard(new Map([...entries, ["sessions", sessions]]));
        const name = `index/${String(shard).padStart(2, "0")}-${suffix}.jsonl`;
        if (text !== undefined) await bucket.write(name, text, "application/x-ndjson");
        return [String(shard), text === undefined ? undefined : name] as const;
      });
      const names = Object.entries({ ...before.shards, ...Object.fromEntries(written) });
      const index: SavedIndex = {
        through,
        shards: Object.fromEntries(names.flatMap(([shard, name]) => (name ? [[shard, name]] : []))),
        seals: this.seals,
      };
      const owner = await replaceOwner(bucket, { ...record, index }, generation);
      if (owner === undefined) {
        this.loss = onTakenOver();
        return;
      }
      this.owner = owner;
      this.bytes -= bytes;
      this.segments -= segments;
      this.keepMoved(moved);
      await this.deleteReplaced(before, index, moved);
    } catch (reason) {
      for (const shard of changed) state.changed.add(shard);
      throw reason;
    }
  }

  private toFullLogFault(cause: unknown): StoreFault {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new StoreFault(
      "store-gone",
      `the index of the bucket ${this.options.bucket.place} cannot be saved (${reason}), so its log is full; nothing is stored until the index is saved, which is tried again at each write and each check`,
      { cause, isTemporary: true },
    );
  }

  /** Puts the new segments into the index, and removes their commits from memory. */
  private keepMoved(moved: readonly MovedTail[]): void {
    const { tables, loaded } = this.options.state;
    for (const { move, segments } of moved) {
      const { contextId, parts } = move;
      const current = tables.sessions.get(contextId);
      const known = loaded.get(contextId);
      if (current === undefined || known === undefined || known.tail[0] !== parts[0]) {
        // The session was deleted meanwhile, so its new segment must not stay.
        const name = segments.at(-1)?.name ?? "";
        this.options.bucket.delete(name).catch(() => {});
        continue;
      }
      tables.sessions.load(contextId, { ...current, segments });
      known.tail = known.tail.slice(parts.length);
    }
  }

  /** Deletes objects that the owner object no longer needs. If this fails, the next start deletes them. */
  private async deleteReplaced(
    before: SavedIndex,
    { through, shards, seals }: SavedIndex,
    moved: readonly MovedTail[],
  ): Promise<void> {
    const { bucket } = this.options;
    const used = new Set(Object.values(shards));
    const log = Array.from({ length: through - before.through }, (_, i) => before.through + i + 1);
    const names = [
      ...log.filter((number) => !seals.includes(number)).map(segmentName),
      ...before.seals.filter((number) => !seals.includes(number)).map(segmentName),
      ...Object.values(before.shards).filter((name) => !used.has(name)),
      ...moved.flatMap(({ replaced }) => replaced),
    ];
    await runLimited(names, (name) => bucket.delete(name).catch(() => {}));
  }
}
