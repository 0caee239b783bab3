import { SetupError } from "@dt/schema";
import type { SessionHead } from "../../commit.js";
import { type AcquireOptions, type Lease, LeaseHeld } from "../../lease.js";
import { createLeaseBook } from "../../lease-book.js";
import type { Database } from "../database/open-connections.js";
import type { Instance } from "./instance.js";

/** The leases that this process holds, and the stored heads of their sessions. */
export interface PostgresLeases {
  acquire(contextId: string, options?: AcquireOptions): Promise<Lease>;
  /** Returns the epoch of the lease on a session; undefined if this process holds none. */
  epochOf(contextId: string): number | undefined;
  /** Ends one lease, because another holder has the session. */
  lose(contextId: string, epoch: number): void;
  /** Ends all leases, because the lease of this instance has ended. */
  loseAll(): void;
  /** Frees the sessions whose release did not reach the database. */
  retryReleases(): void;
  /** Heads of the sessions that this process holds, as they are stored. */
  readonly heads: Map<string, SessionHead>;
}

/** Options of {@link createPostgresLeases}. */
export interface PostgresLeasesOptions {
  readonly database: Database;
  readonly schema: string;
  readonly instance: Pick<Instance, "id" | "join">;
  /** Pool of this instance. It takes only sessions of its pool. */
  readonly pool: string;
  /** Called after a session was given back. */
  onReleased(): void;
}

interface Held {
  readonly contextId: string;
  readonly epoch: number;
  readonly holder: string;
}

/** Creates the leases of a store. */
export function createPostgresLeases(options: PostgresLeasesOptions): PostgresLeases {
  const { database, schema, instance, pool, onReleased } = options;
  const book = createLeaseBook();
  const heads = new Map<string, SessionHead>();
  const acquiring = new Set<string>();
  const unreleased = new Set<Held>();

  async function take(contextId: string, takesOver: boolean): Promise<SessionHead | undefined> {
    const [row] = await database.query({
      name: `acquire ${schema}`,
      text: acquireText(schema),
      values: [contextId, instance.id, takesOver, pool],
    });
    if (row === undefined) return undefined;
    if (row.epoch === null) throw new LeaseHeld(contextId);
    return {
      epoch: Number(row.epoch),
      position: Number(row.last_position),
      commitNumber: Number(row.commit_number),
    };
  }

  async function free(held: Held): Promise<void> {
    const { contextId, holder, epoch } = held;
    unreleased.add(held);
    await database.query({
      text: `UPDATE ${schema}.sessions SET holder = NULL
        WHERE context_id = $1 AND holder = $2 AND epoch = $3`,
      values: [contextId, holder, epoch],
    });
    unreleased.delete(held);
    onReleased();
  }

  function open(held: Held): Lease {
    const { contextId, epoch } = held;
    const lease = book.open(contextId, epoch, () => heads.delete(contextId));
    return {
      ...lease,
      async release() {
        if (book.epochOf(contextId) !== epoch) return;
        const isStored = heads.has(contextId);
        await lease.release();
        // If the database cannot be reached, the release is repeated at the next renewal.
        if (isStored) await free(held).catch(() => {});
      },
    };
  }

  return {
    heads,
    epochOf: book.epochOf,
    lose: book.lose,
    loseAll: book.loseAll,
    retryReleases() {
      for (const held of unreleased) free(held).catch(() => {});
    },
    async acquire(contextId, { takesOver = false } = {}) {
      book.check(contextId, { takesOver: takesOver && !acquiring.has(contextId) });
      if (acquiring.has(contextId)) {
        throw new SetupError(`the session ${contextId} is being opened already; try again`);
      }
      acquiring.add(contextId);
      try {
        await instance.join();
        const holder = instance.id;
        const head = await take(contextId, takesOver);
        // The epoch of a session that is not stored yet is only in memory.
        const epoch = head?.epoch ?? (book.epochOf(contextId) ?? 0) + 1;
        const lease = open({ contextId, epoch, holder });
        if (head !== undefined) heads.set(contextId, head);
        if (instance.id !== holder) book.lose(contextId, epoch);
        return lease;
      } finally {
        acquiring.delete(contextId);
      }
    },
  };
}

/**
 * Returns the statement that takes a session. It first ends the leases of instances that have not renewed them in time,
 * so that such an instance can no longer renew its lease. A row without an epoch means that another instance holds
 * the session, or that the session belongs to another pool.
 */
function acquireText(schema: string): string {
  return `WITH ended AS (
      DELETE FROM ${schema}.instances WHERE lease_until <= clock_timestamp() RETURNING id
    ), target AS (
      SELECT context_id, holder, pool FROM ${schema}.sessions WHERE context_id = $1 FOR UPDATE
    ), taken AS (
      UPDATE ${schema}.sessions AS s SET holder = $2::uuid, epoch = s.epoch + 1, pool = $4
      FROM target AS t WHERE s.context_id = t.context_id AND coalesce(t.pool, $4) = $4
        AND ($3::boolean OR t.holder IS NULL OR t.holder = $2::uuid OR NOT EXISTS (
          SELECT 1 FROM ${schema}.instances AS i
          WHERE i.id = t.holder AND i.id NOT IN (SELECT id FROM ended)
        ))
      RETURNING s.context_id, s.epoch, s.last_position, s.commit_number
    )
    SELECT taken.epoch, taken.last_position, taken.commit_number
    FROM target LEFT JOIN taken USING (context_id)`;
}
