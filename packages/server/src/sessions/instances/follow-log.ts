import type { WritableLog } from "../../log/session-log.js";
import type { InstanceStore } from "../../store/instances/instance-store.js";
import type { SessionStore } from "../../store/session-store.js";

/** Keeps the log of a session up to date while another instance may write it. */
export interface LogFollower {
  /** Announces the events that were stored since the last refresh. */
  refresh(): Promise<void>;
  /** Stops following. Resolves when no read is under way. */
  stop(): Promise<void>;
}

/** Options of {@link followLog}. */
export interface FollowLogOptions {
  readonly log: WritableLog;
  readonly store: Pick<SessionStore, "readEvents">;
  readonly instances: Pick<InstanceStore, "watch">;
  elapsedMs(): number;
  /**
   * Called if the stored log no longer continues the log in memory, because events were lost or the session
   * was deleted.
   */
  onDiverged(): void;
  onFault(reason: unknown): void;
}

/** Maximum number of events in one read. */
const PAGE_EVENTS = 256;
/** Time after a request in which changes are read at once, even without a subscriber. */
const USED_MS = 5_000;

/** Starts to follow a log. */
export function followLog(options: FollowLogOptions): LogFollower {
  return new WatchedLog(options);
}

/** This is a class, because most sessions in memory have a follower, and closures would need more memory. */
class WatchedLog implements LogFollower {
  private readonly options: FollowLogOptions;
  private readonly unwatch: () => void;
  private running: Promise<void> | undefined;
  private isStale = false;
  private isStopped = false;
  private usedAt = Number.NEGATIVE_INFINITY;
  /** Epoch of the last announced event, as far as it is known. */
  private lastEpoch: number | undefined;

  constructor(options: FollowLogOptions) {
    this.options = options;
    this.unwatch = options.instances.watch(options.log.contextId, this);
  }

  get isNeeded(): boolean {
    const { log, elapsedMs } = this.options;
    return log.subscribers.size > 0 || elapsedMs() - this.usedAt < USED_MS;
  }

  onWake(): void {
    if (this.isNeeded) this.read().catch(this.options.onFault);
  }

  onPoll(lastPosition: number | undefined): void {
    if (lastPosition !== this.options.log.lastPosition) this.onWake();
  }

  async refresh(): Promise<void> {
    this.usedAt = this.options.elapsedMs();
    await this.read();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.unwatch();
    await this.running?.catch(() => {});
  }

  /** Reads until nothing has changed since the beginning of the last read. */
  private async read(): Promise<void> {
    this.isStale = true;
    this.running ??= this.readWhileStale().finally(() => {
      this.running = undefined;
    });
    await this.running;
    // Another call of `read` may have set `isStale` after the last read had ended.
    if (this.isStale && !this.isStopped) await this.read();
  }

  private async readWhileStale(): Promise<void> {
    while (this.isStale && !this.isStopped) {
      this.isStale = false;
      while (await this.readPage());
    }
  }

  /** Announces one page. Returns true if there may be another page. */
  private async readPage(): Promise<boolean> {
    const { log, store, onDiverged } = this.options;
    const { contextId, lastPosition } = log;
    // The last known event is read again, because a crash of the store may have replaced it.
    const after = Math.max(0, lastPosition - 1);
    const page = await store.readEvents({ contextId, after, limit: PAGE_EVENTS });
    if (this.isStopped || log.isClosed) return false;
    const [first] = page;
    const isOther = first?.epoch !== (this.lastEpoch ?? first?.epoch);
    if (lastPosition > 0 && (first?.position !== lastPosition || isOther)) {
      onDiverged();
      return false;
    }
    this.lastEpoch = page.at(-1)?.epoch ?? this.lastEpoch;
    log.announce(page.filter(({ position }) => position > lastPosition));
    return page.length === PAGE_EVENTS;
  }
}
