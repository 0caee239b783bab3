import { BucketFault, type ObjectBucket } from "../bucket/object-bucket.js";
import { encodeSegment, segmentName } from "./segment-codec.js";
import type { StoreRecord } from "./store-record.js";
import { BucketTakenOver, toBucketStoreFault } from "./taken-over.js";

/** Work that stores records. */
export interface LogWork<TResult> {
  /** True if the plan depends on the state. All earlier records are then applied before `plan` runs. */
  readonly needsState: boolean;
  /** Returns the records to store. Runs right before the flush; throws to refuse the work. */
  plan(): readonly StoreRecord[];
  /** Returns the result of the work, from the results of its records. */
  finish(results: readonly unknown[]): TResult;
  /** Returns the result if nobody knows whether the records are stored. Default: rejects with the fault. */
  doubt?(): TResult;
}

/** Options of {@link SegmentLog}. */
export interface SegmentLogOptions {
  readonly bucket: ObjectBucket;
  /** Id of this process. */
  readonly owner: string;
  /** Number of the last stored segment. */
  readonly lastNumber: number;
  /** Applies a stored record. Changes the state before it returns its promise. */
  apply(record: StoreRecord): Promise<unknown>;
  /** Called after a segment was stored and applied. */
  onStored(bytes: number): void;
  /** Called once, when another process has taken over the bucket. */
  onTakenOver(): void;
  /** Resolves when the log may grow. It waits while compaction is behind, and rejects if compaction fails. */
  waitForRoom(): Promise<void>;
}

interface Waiting {
  readonly work: LogWork<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

interface Planned extends Waiting {
  readonly records: readonly StoreRecord[];
}

/** A segment that is being stored, or whose outcome is unknown. */
interface OpenSegment {
  readonly name: string;
  readonly body: string;
  readonly planned: readonly Planned[];
}

/**
 * The log of a bucket. Each segment is one object. Work that arrives while a segment is being stored shares the next
 * segment. Work that needs the state begins a new segment: a group of commits, which are of several sessions. Objects
 * are created, but never replaced. So if another process has created the object of the next number, this process
 * knows that it has lost the bucket.
 */
export class SegmentLog {
  private readonly options: SegmentLogOptions;
  private waiting: Waiting[] = [];
  private running: Promise<void> | undefined;
  private number: number;
  /** A segment whose outcome is unknown. It must be settled before anything else is stored. */
  private doubtful: OpenSegment | undefined;
  private loss: BucketTakenOver | undefined;

  constructor(options: SegmentLogOptions) {
    this.options = options;
    this.number = options.lastNumber;
  }

  /** Number of the last segment that is stored and applied. */
  get lastNumber(): number {
    return this.number;
  }

  /** The reason why nothing more is stored; undefined while this process owns the bucket. */
  get fault(): BucketTakenOver | undefined {
    return this.loss;
  }

  /** True if the outcome of a segment is not known. */
  get isInDoubt(): boolean {
    return this.doubtful !== undefined;
  }

  /** Stores records with the next segment. */
  run<TResult>(work: LogWork<TResult>): Promise<TResult> {
    return new Promise<TResult>((resolve, reject) => {
      this.waiting.push({ work, resolve, reject });
      this.running ??= this.flushAll();
    });
  }

  /**
   * Finds out whether the segment of unknown outcome is stored, and stores it if not. Rejects if the bucket does not
   * answer.
   */
  async settle(): Promise<void> {
    await this.run({ needsState: false, plan: () => [], finish: () => undefined });
  }

  /** Resolves when everything that was added is stored or refused. */
  async drain(): Promise<void> {
    await this.running;
  }

  /** Ends the log, because another process owns the bucket. */
  lose(): BucketTakenOver {
    if (this.loss === undefined) {
      this.loss = new BucketTakenOver(this.options.bucket.place);
      this.options.onTakenOver();
    }
    return this.loss;
  }

  private async flushAll(): Promise<void> {
    while (this.waiting.length > 0) {
      // This lets calls of the same moment join one segment.
      await new Promise<void>((resolve) => setImmediate(resolve));
      try {
        if (this.loss !== undefined) throw this.loss;
        await this.settleDoubt();
        await this.options.waitForRoom();
      } catch (reason) {
        // All work that waits is refused, because another attempt could take as long as this one.
        for (const { reject } of this.waiting.splice(0)) reject(toBucketStoreFault(reason));
        continue;
      }
      await this.flush(this.takeBatch());
    }
    this.running = undefined;
  }

  /**
   * Takes work from the queue. Work that needs the state begins the next batch, because this batch must be applied
   * first.
   */
  private takeBatch(): readonly Waiting[] {
    const end = this.waiting.findIndex(({ work }, index) => index > 0 && work.needsState);
    return this.waiting.splice(0, end < 0 ? this.waiting.length : end);
  }

  private async flush(batch: readonly Waiting[]): Promise<void> {
    const planned = batch.flatMap((each): readonly Planned[] => {
      try {
        return [{ ...each, records: each.work.plan() }];
      } catch (reason) {
        each.reject(reason);
        return [];
      }
    });
    const records = planned.flatMap((each) => each.records);
    if (records.length === 0) {
      for (const { work, resolve } of planned) resolve(work.finish([]) as never);
      return;
    }
    const number = this.number + 1;
    const body = encodeSegment({ number, owner: this.options.owner, records });
    const segment = { name: segmentName(number), body, planned };
    try {
      await this.store(segment);
    } catch (error) {
      const isUncertain = error instanceof BucketFault && error.isUncertain;
      if (isUncertain) this.doubtful = segment;
      for (const each of planned) refuse(each, toBucketStoreFault(error), isUncertain);
      return;
    }
    const results = this.applyAll(segment);
    for (const [index, each] of planned.entries()) {
      Promise.all(results[index] ?? []).then(
        (values) => each.resolve(each.work.finish(values) as never),
        each.reject,
      );
    }
  }

  private async settleDoubt(): Promise<void> {
    if (this.doubtful === undefined) return;
    await this.store(this.doubtful);
    for (const result of this.applyAll(this.doubtful).flat()) result.catch(() => {});
    this.doubtful = undefined;
  }

  /** Resolves when the segment is stored. Throws {@link BucketTakenOver} if another segment has its number. */
  private async store({ name, body }: OpenSegment): Promise<void> {
    const { bucket } = this.options;
    if (await bucket.create(name, body)) return;
    // The object may be our own: if the answer to the first attempt was lost, the retry found the object.
    const stored = await bucket.read(name);
    if (stored?.toString() !== body) throw this.lose();
  }

  private applyAll({ body, planned }: OpenSegment): readonly (readonly Promise<unknown>[])[] {
    this.number += 1;
    const results = planned.map(({ records }) =>
      records.map((record) => this.options.apply(record)),
    );
    this.options.onStored(body.length);
    return results;
  }
}

function refuse({ work, resolve, reject }: Planned, reason: unknown, isUncertain: boolean): void {
  if (isUncertain && work.doubt !== undefined) resolve(work.doubt() as never);
  else reject(reason);
}
