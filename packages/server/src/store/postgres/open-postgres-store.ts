import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { SetupError } from "@dt/schema";
import { type Clock, systemClock } from "../../clock.js";
import type { SessionStore } from "../session-store.js";
import { StoreFault } from "../store-fault.js";
import { createAppender } from "./append/append-commits.js";
import { createPostgresAudit } from "./audit/postgres-audit.js";
import { createPostgresBudgets } from "./budgets/postgres-budgets.js";
import { migrate } from "./database/migrate.js";
import { type Database, describeAddress, openConnections } from "./database/open-connections.js";
import { createAwayFault, toRightsError } from "./database/postgres-error.js";
import { checkSchemaName, DEFAULT_SCHEMA } from "./database/schema-name.js";
import { createPostgresGrants } from "./grants/postgres-grants.js";
import { openInstanceStore } from "./instances/open-instance-store.js";
import { createInstance } from "./leases/instance.js";
import { lockInstanceFile } from "./leases/instance-file.js";
import { createPostgresLeases } from "./leases/postgres-leases.js";
import { createPostgresReader } from "./postgres-reader.js";
import { createPostgresWriter } from "./postgres-writer.js";
import { createPostgresPushes } from "./pushes/postgres-pushes.js";
import { createPostgresTokens } from "./tokens/postgres-tokens.js";

/** Options of {@link openPostgresStore}. */
export interface PostgresStoreOptions {
  /** Address of the database: `postgres://user:password@host:port/database`. `?schema=` names the schema of the tables. */
  readonly url: string;
  /**
   * File that this process locks. If an earlier process with the same file has crashed, this process takes the
   * sessions of that process at once. Without a file, this process waits until the lease of the earlier process ends.
   */
  readonly instanceFile?: string;
  /** False for a program that only manages users and acquires no sessions. Default: true. */
  readonly servesSessions?: boolean;
  /** Time after which other instances may take the sessions of an instance that does not answer. Default: 15 s. */
  readonly leaseMs?: number;
  /** Instances of one pool share their workspaces. Sessions stay in their pool. Default: the name of the host. */
  readonly pool?: string;
  /** If false, or behind a connection pooler, only polls find the changes of other instances. Default: true. */
  readonly notifies?: boolean;
  /** Maximum number of connections. Default: 10. */
  readonly maxConnections?: number;
  readonly clock?: Clock;
  /** Called when the lease of this process has ended, and for each damaged session. */
  readonly onFault?: (fault: StoreFault) => void;
}

const LEASE_MS = 15_000;
const MAX_CONNECTIONS = 10;
const MIN_TIMEOUT_MS = 1_000;
/** Longest pause between two attempts to reach the database. */
const MAX_PAUSE_MS = 500;

/** Opens a store in a Postgres database, which several processes may share. Creates its tables if there are none. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<SessionStore> {
  const { leaseMs = LEASE_MS, clock = systemClock, onFault = () => {} } = options;
  const { pool = hostname() } = options;
  const { url, schema } = parsePostgresAddress(options.url);
  const { instanceFile } = options;
  const own =
    instanceFile === undefined
      ? { name: randomUUID(), release() {} }
      : await lockInstanceFile(instanceFile);
  const database = await openConnections({
    url,
    maxConnections: options.maxConnections ?? MAX_CONNECTIONS,
    timeoutMs: Math.max(MIN_TIMEOUT_MS, (leaseMs * 2) / 3),
  }).catch((reason: unknown) => {
    own.release();
    throw reason;
  });
  const closing = new AbortController();
  const damaged = createDamagedSessions(onFault);
  const instance = createInstance({
    database,
    schema,
    name: own.name,
    leaseMs,
    clock,
    onExpired() {
      leases.loseAll();
      onFault(createExpiredFault(database.address, instance.fault));
    },
    onRenewed: () => leases.retryReleases(),
  });
  const shared = openInstanceStore({
    database,
    schema,
    url,
    instance,
    pool,
    leaseMs,
    notifies: options.notifies !== false && options.servesSessions !== false && !database.isPooled,
  });
  const parts = { database, schema, instance, pool, noteDamage: damaged.note };
  const leases = createPostgresLeases({ ...parts, onReleased: shared.noteRelease });
  const append = createAppender({ ...parts, leases, wait, onStored: shared.noteCommits });

  function checkOpen(): void {
    if (closing.signal.aborted) throw new Error("the store is closed");
  }

  async function wait(attempt: number): Promise<void> {
    const pauseMs = Math.min(MAX_PAUSE_MS, 10 * 2 ** attempt);
    await delay(pauseMs, undefined, { signal: closing.signal });
  }

  try {
    await migrate(database, { schema });
    if (options.servesSessions !== false) await instance.join();
  } catch (error) {
    await shared.close();
    await database.close();
    own.release();
    throw toRightsError(error, { address: database.address, schema });
  }

  return {
    instances: shared.store,
    ...createPostgresReader(parts),
    ...createPostgresWriter({
      ...parts,
      onDeleted(contextId) {
        leases.heads.delete(contextId);
        damaged.contextIds.delete(contextId);
      },
    }),
    ...createPostgresPushes(parts),
    ...createPostgresTokens(parts),
    ...createPostgresBudgets(parts),
    ...createPostgresGrants(parts),
    ...createPostgresAudit(parts),
    async check() {
      checkOpen();
      await checkWritable(database);
      if (options.servesSessions !== false && !instance.isLive()) {
        throw createExpiredFault(database.address, instance.fault);
      }
      return { damagedSessions: [...damaged.contextIds] };
    },
    async commit(commits) {
      checkOpen();
      return await append(commits);
    },
    async acquire(contextId, acquireOptions) {
      checkOpen();
      return await leases.acquire(contextId, acquireOptions);
    },
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      await instance.close();
      await shared.close();
      await database.close();
      own.release();
    },
  };
}

/** Collects the sessions with damaged rows, and reports each of them once. */
function createDamagedSessions(onFault: (fault: StoreFault) => void) {
  const contextIds = new Set<string>();
  return {
    contextIds,
    /** Throws the error again, after noting the session that it names. */
    note(error: unknown): never {
      if (error instanceof StoreFault && error.contextId !== undefined) {
        if (!contextIds.has(error.contextId)) onFault(error);
        contextIds.add(error.contextId);
      }
      throw error;
    },
  };
}

/** Throws if a database is away, or accepts no writes. */
async function checkWritable(database: Database): Promise<void> {
  const [row] = await database.query({
    text: "SELECT current_setting('transaction_read_only') AS read_only",
  });
  if (row?.read_only !== "on") return;
  const reason = "it accepts no writes; DT_STORE must name the primary server";
  throw createAwayFault(database.address, reason);
}

function createExpiredFault(address: string, cause: unknown): StoreFault {
  const why = cause instanceof Error ? ` (${cause.message})` : "";
  return new StoreFault(
    "store-gone",
    `the lease of this instance on the database ${address} was not renewed in time${why}; its sessions were closed, and can be opened again when the database answers`,
    { cause, isTemporary: true },
  );
}

/** Splits an address into the address for the driver and the name of the schema. */
export function parsePostgresAddress(address: string): {
  readonly url: string;
  readonly schema: string;
} {
  if (!URL.canParse(address) || !/^postgres(ql)?:$/.test(new URL(address).protocol)) {
    throw new SetupError(
      "DT_STORE: expected an address such as postgres://user:password@host/database",
    );
  }
  const url = new URL(address);
  const schema = checkSchemaName(url.searchParams.get("schema") ?? DEFAULT_SCHEMA);
  url.searchParams.delete("schema");
  if (url.pathname.length <= 1) {
    throw new SetupError(`DT_STORE: the address ${describeAddress(address)} names no database`);
  }
  return { url: url.href, schema };
}
