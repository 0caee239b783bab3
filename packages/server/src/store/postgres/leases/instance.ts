import { randomUUID } from "node:crypto";
import type { Clock } from "../../../clock.js";
import type { Database } from "../database/open-connections.js";
import { createInstanceRow } from "./instance-row.js";

/**
 * This process in the table of instances. Its row has the end of one lease, which covers all sessions that the process
 * holds. Other instances compare this end with the clock of the database only.
 */
export interface Instance {
  /** Id under which sessions are held. It changes after the lease has ended. */
  readonly id: string;
  /**
   * True while this process may use its lease. The wall clock and the monotonic clock must both show that time
   * remains since the last renewal was sent.
   */
  isLive(): boolean;
  /** Registers this process if it is not live. Rejects if the database cannot be reached. */
  join(): Promise<void>;
  /** Reason why the last registration or renewal failed; undefined if it succeeded. */
  readonly fault: unknown;
  /** Ends the lease, so that other instances can take the sessions at once. */
  close(): Promise<void>;
}

/** Options of {@link createInstance}. */
export interface InstanceOptions {
  readonly database: Database;
  readonly schema: string;
  /**
   * Name of this process. When a process joins for the first time, it ends the lease of an earlier process with the
   * same name.
   */
  readonly name: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  /** Called at once when the lease has ended. Sessions must not be used from then on. */
  onExpired(): void;
  /** Called when the lease was registered or renewed, so the database can be reached. */
  onRenewed(): void;
}

/** Part of the lease that this process uses. The rest covers clocks that run at different speeds. */
const USED_SHARE = 0.9;
/** Longest time between two checks of the clocks. */
const MAX_TICK_MS = 500;

interface Moment {
  readonly wallMs: number;
  readonly elapsedMs: number;
}

/** Creates an instance, which joins later. */
export function createInstance(options: InstanceOptions): Instance {
  const { database, schema, name, leaseMs, clock, onExpired, onRenewed } = options;
  const row = createInstanceRow({ database, schema, name, leaseMs });
  let id: string = randomUUID();
  let renewed: Moment | undefined;
  let fault: unknown;
  let renewing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let hasJoined = false;

  function isLive(): boolean {
    return renewed !== undefined && elapsedSince(renewed, readClocks(clock)) < leaseMs * USED_SHARE;
  }

  function expire(): void {
    if (renewed === undefined) return;
    renewed = undefined;
    id = randomUUID();
    onExpired();
  }

  async function register(): Promise<void> {
    const sent = readClocks(clock);
    // At the first join, the earlier process with this name has ended, so its lease can end at once. An earlier lease
    // of this process must expire first, because child processes may still be stopping.
    await row.insert(id, { endsEarlier: !hasJoined });
    hasJoined = true;
    renewed = sent;
  }

  async function renew(): Promise<void> {
    const sent = readClocks(clock);
    const isRenewed = await row.renew(id);
    if (!isRenewed) expire();
    else if (renewed !== undefined) renewed = sent;
  }

  /** Registers or renews, once at a time. */
  async function contact(): Promise<void> {
    const isRenewal = isLive();
    renewing ??= (isRenewal ? renew() : register())
      .then(
        () => {
          fault = undefined;
          if (isLive()) onRenewed();
        },
        (reason: unknown) => {
          fault = reason;
          throw reason;
        },
      )
      .finally(() => {
        renewing = undefined;
      });
    await renewing;
  }

  function tick(): void {
    if (!isLive()) expire();
    const isDue =
      renewed === undefined ||
      fault !== undefined ||
      elapsedSince(renewed, readClocks(clock)) >= leaseMs / 3;
    if (isDue) contact().catch(() => {});
  }

  return {
    get id() {
      return id;
    },
    get fault() {
      return fault;
    },
    isLive,
    async join() {
      if (!isLive()) expire();
      if (renewing !== undefined && !isLive()) {
        // The contact that is under way may be a renewal, which does not register this process.
        await renewing.catch(() => {});
        if (isClosed) throw new Error("the store is closed");
      }
      if (!isLive()) await contact();
      if (!isClosed) timer ??= setInterval(tick, Math.min(MAX_TICK_MS, leaseMs / 30)).unref();
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      await renewing?.catch(() => {});
      if (renewed === undefined) return;
      renewed = undefined;
      // If the database cannot be reached, the lease expires.
      await row.remove(id).catch(() => {});
    },
  };
}

function readClocks(clock: Clock): Moment {
  return { wallMs: clock.now().getTime(), elapsedMs: clock.elapsedMs() };
}

/** Returns the time since a moment, by the clock on which more time has passed. */
function elapsedSince(earlier: Moment, now: Moment): number {
  return Math.max(now.wallMs - earlier.wallMs, now.elapsedMs - earlier.elapsedMs);
}
