import { randomUUID } from "node:crypto";
import type { Clock } from "../../../clock.js";
import type { Database } from "../database/open-connections.js";

/**
 * This process in the table of instances. Its row has the end of one lease, which covers all sessions that the process
 * holds. Only the clock of the database decides whether that lease has ended.
 */
export interface Instance {
  /** Id under which sessions are held. It changes after the lease has ended. */
  readonly id: string;
  /** True if lease time remains, by the wall clock and by elapsed time since the last renewal was sent. */
  isLive(): boolean;
  /** Registers this process if it is not live. Rejects if the database is away. */
  join(): Promise<void>;
  /** Reason why the last renewal failed; undefined if it succeeded. */
  readonly fault: unknown;
  /** Ends the lease, so that other instances can take the sessions at once. */
  close(): Promise<void>;
}

/** Options of {@link createInstance}. */
export interface InstanceOptions {
  readonly database: Database;
  readonly schema: string;
  /** Name of this process. A process that joins ends the lease of an earlier one with its name. */
  readonly name: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  /** Called at once when the lease has ended. Sessions must not be used from then on. */
  onExpired(): void;
  /** Called after each renewal. */
  onRenewed(): void;
}

/** Part of the lease that this process uses. The rest covers clocks that run at different speeds. */
const USED_SHARE = 0.9;
/** Longest time between two looks at the clocks. */
const MAX_TICK_MS = 500;

interface Moment {
  readonly wallMs: number;
  readonly elapsedMs: number;
}

/** Creates an instance, which joins later. */
export function createInstance(options: InstanceOptions): Instance {
  const { database, schema, name, leaseMs, clock, onExpired, onRenewed } = options;
  const table = `${schema}.instances`;
  const until = "clock_timestamp() + $2 * interval '1 millisecond'";
  let id: string = randomUUID();
  let renewed: Moment | undefined;
  let fault: unknown;
  let renewing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let hasJoined = false;

  function now(): Moment {
    return { wallMs: clock.now().getTime(), elapsedMs: clock.elapsedMs() };
  }

  /** Returns the time since a moment, by the clock on which more time has passed. */
  function since({ wallMs, elapsedMs }: Moment): number {
    const current = now();
    return Math.max(current.wallMs - wallMs, current.elapsedMs - elapsedMs);
  }

  function isLive(): boolean {
    return renewed !== undefined && since(renewed) < leaseMs * USED_SHARE;
  }

  function expire(): void {
    if (renewed === undefined) return;
    renewed = undefined;
    id = randomUUID();
    onExpired();
  }

  async function register(): Promise<void> {
    const sent = now();
    await database.query({
      // The earlier process with this name has ended. A lease of this process itself must end by its time, because its
      // child processes may still be stopping.
      text: `WITH gone AS (DELETE FROM ${table} WHERE name = $3 AND NOT $4::boolean)
        INSERT INTO ${table} (id, name, lease_until) VALUES ($1, $3, ${until})
        ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`,
      values: [id, leaseMs, name, hasJoined],
    });
    hasJoined = true;
    if (!isClosed) renewed = sent;
  }

  async function renew(): Promise<void> {
    const sent = now();
    const rows = await database.query({
      name: `renew ${schema}`,
      text: `UPDATE ${table} SET lease_until = ${until}
        WHERE id = $1 AND lease_until > clock_timestamp() RETURNING id`,
      values: [id, leaseMs],
    });
    if (rows.length === 0) expire();
    else if (renewed !== undefined) renewed = sent;
  }

  /** Registers or renews, once at a time. */
  async function contact(): Promise<void> {
    const isRenewal = isLive();
    renewing ??= (isRenewal ? renew() : register())
      .then(
        () => {
          fault = undefined;
          onRenewed();
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
    if (renewed !== undefined && !isLive()) expire();
    const isDue = renewed === undefined || fault !== undefined || since(renewed) >= leaseMs / 3;
    if (isDue && !isClosed) contact().catch(() => {});
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
      if (renewed !== undefined && !isLive()) expire();
      if (!isLive()) await contact();
      timer ??= setInterval(tick, Math.min(MAX_TICK_MS, leaseMs / 30)).unref();
    },
    async close() {
      isClosed = true;
      clearInterval(timer);
      await renewing?.catch(() => {});
      if (renewed === undefined) return;
      renewed = undefined;
      // If the database is away, the lease ends by itself.
      await database
        .query({ text: `DELETE FROM ${table} WHERE id = $1`, values: [id] })
        .catch(() => {});
    },
  };
}
