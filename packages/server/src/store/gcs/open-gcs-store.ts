import { access } from "node:fs/promises";
import { SetupError } from "@dt/schema";
import { type Clock, systemClock } from "../../clock.js";
import type { SessionStore } from "../session-store.js";
import { StoreFault } from "../store-fault.js";
import { openGoogleBucket } from "./bucket/google-bucket.js";
import { BucketFault, type ObjectBucket, ObjectGone } from "./bucket/object-bucket.js";
import type { BucketRetries } from "./bucket/retry.js";
import { type BucketOwner, openBucketOwner } from "./bucket-owner.js";
import { addOutside } from "./gcs-audit.js";
import { createGcsReader } from "./gcs-reader.js";
import { createGcsTokens } from "./gcs-tokens.js";
import { createGcsWriter, createRefusingWriter } from "./gcs-writer.js";
import { toBucketStoreFault } from "./log/taken-over.js";
import { createProjector } from "./projection/projector.js";
import { loadState } from "./saved-index/load-state.js";
import { EMPTY_INDEX, readOwner } from "./saved-index/owner-object.js";

/** Options of {@link openGcsStore}. */
export interface GcsStoreOptions {
  readonly bucket: string;
  /** Folder in the bucket, such as `team-a`. Each folder has one server. Default: the whole bucket. */
  readonly prefix?: string | undefined;
  readonly projectId?: string | undefined;
  /** File with the key of a service account. Default: the credentials of the machine. */
  readonly keyFile?: string | undefined;
  /** Address of a server that speaks the JSON API of Google, for tests. */
  readonly endpoint?: string | undefined;
  /**
   * Use of the bucket. `server` takes the bucket over, even from a server that still runs. `alone` refuses a bucket
   * that is in use. `shared` does not own the bucket: it reads sessions, manages tokens and adds to the audit. Default:
   * `server`.
   */
  readonly use?: "server" | "alone" | "shared";
  /** The log is compacted if its segments reach this size or this number. Default: 4 MiB, 256. */
  readonly saveIndexAt?: { readonly bytes: number; readonly segments: number };
  /** Interval at which a server checks whether another server has taken over. Default: 5 s. */
  readonly watchMs?: number;
  /** Limits of the retries of one request. */
  readonly retries?: BucketRetries;
  readonly clock?: Clock;
  /** Called when another server has taken over, for faults of background work, and for each damaged session. */
  readonly onFault?: (fault: Error) => void;
}

const SAVE_AT = { bytes: 4 * 1024 * 1024, segments: 256 };
const WATCH_MS = 5_000;

/** Opens a store in a bucket of Google Cloud Storage. One server can use a bucket, or a folder of it, at a time. */
export async function openGcsStore(options: GcsStoreOptions): Promise<SessionStore> {
  await checkKeyFile(options.keyFile);
  const bucket = openGoogleBucket({ ...options, prefix: normalisePrefix(options.prefix) });
  try {
    return options.use === "shared" ? openShared(bucket) : await openOwned(bucket, options);
  } catch (error) {
    throw describeOpenFault(error, bucket);
  }
}

async function openOwned(bucket: ObjectBucket, options: GcsStoreOptions): Promise<SessionStore> {
  const { clock = systemClock, watchMs = WATCH_MS, onFault = () => {} } = options;
  const owner: BucketOwner = await openBucketOwner({
    bucket,
    takesOver: options.use !== "alone",
    startedAt: clock.now().toISOString(),
    saveIndexAt: options.saveIndexAt ?? SAVE_AT,
    onFault,
    onApplied: () => projector.start(),
  });
  const { state, stores, log, leases, saver } = owner;
  const damaged = new Set<string>();
  let isClosed = false;

  function checkOpen(): void {
    if (isClosed) throw new Error("the store is closed");
    if (log.fault !== undefined) throw log.fault;
  }

  function noteFault(fault: unknown): void {
    if (!(fault instanceof StoreFault) || fault.contextId === undefined) return;
    if (!damaged.has(fault.contextId)) onFault(fault);
    damaged.add(fault.contextId);
  }

  const reader = createGcsReader({
    bucket,
    async index() {
      checkOpen();
      // While the outcome of a segment is unknown, the heads of sessions are unknown too.
      if (log.isInDoubt) await log.settle();
      return { state, stores };
    },
    reload() {},
    noteFault,
  });
  const projector = createProjector({
    bucket,
    state,
    readEvents: reader.readEvents,
    onFault: report,
  });
  const watch = setInterval(() => void owner.check().catch(() => {}), watchMs).unref();

  function report(reason: unknown): void {
    if (log.fault === undefined && reason instanceof Error) onFault(reason);
  }

  projector.start();
  owner.sweep().catch(report);
  return {
    ...reader,
    ...createGcsWriter({
      bucket,
      state,
      log,
      leases,
      checkOpen,
      onDeleted() {
        owner.sweep().catch(report);
        saver.saveSoon();
      },
    }),
    ...createGcsTokens(bucket, checkOpen),
    async check() {
      checkOpen();
      await owner.check().catch((error: unknown) => {
        throw toBucketStoreFault(error);
      });
      if (log.isInDoubt) await log.settle();
      return { damagedSessions: [...damaged] };
    },
    async close() {
      if (isClosed) return;
      await log.drain();
      clearInterval(watch);
      await projector.close({ drains: log.fault === undefined });
      isClosed = true;
      if (log.fault !== undefined) return;
      await owner.sweep().catch(report);
      await saver.close().catch(report);
    },
  };
}

/** Opens a bucket that another process may own. The index is loaded when it is needed. */
function openShared(bucket: ObjectBucket): SessionStore {
  let loading: ReturnType<typeof load> | undefined;
  let isClosed = false;

  function checkOpen(): void {
    if (isClosed) throw new Error("the store is closed");
  }

  async function load(): ReturnType<typeof loadState> {
    for (;;) {
      const index = (await readOwner(bucket))?.record.index ?? EMPTY_INDEX;
      try {
        return await loadState(bucket, index);
      } catch (error) {
        // The owner has saved a newer index, and has deleted objects that only the older index names.
        if (!(error instanceof ObjectGone)) throw error;
      }
    }
  }

  return {
    ...createGcsReader({
      bucket,
      async index() {
        checkOpen();
        loading ??= load();
        return await loading;
      },
      reload() {
        loading = undefined;
      },
      noteFault() {},
    }),
    ...createRefusingWriter(bucket.place),
    ...createGcsTokens(bucket, checkOpen),
    async addAudit(records, limit) {
      checkOpen();
      await addOutside(bucket, records, limit);
    },
    async check() {
      checkOpen();
      await bucket.findGeneration("owner.json");
      return { damagedSessions: [] };
    },
    async close() {
      isClosed = true;
    },
  };
}

async function checkKeyFile(file: string | undefined): Promise<void> {
  if (file === undefined) return;
  await access(file).catch((cause: unknown) => {
    throw new SetupError(
      `GOOGLE_APPLICATION_CREDENTIALS: the file ${file} cannot be read; name the key file of a service account`,
      { cause },
    );
  });
}

/** Returns a prefix with a slash at its end; "" for the whole bucket. */
function normalisePrefix(prefix = ""): string {
  const inner = prefix.replace(/^\/+|\/+$/g, "");
  return inner === "" ? "" : `${inner}/`;
}

function describeOpenFault(error: unknown, { place }: ObjectBucket): unknown {
  if (!(error instanceof BucketFault)) return error;
  const { status, message } = error;
  if (status === 404) {
    return new SetupError(
      `there is no bucket ${place}; create it, or name another one in A2A_GCS_BUCKET`,
    );
  }
  if (status === 401 || status === 403) {
    return new SetupError(
      `the bucket ${place} refuses access; give the service account the role Storage Object User (${message})`,
    );
  }
  return new SetupError(`${message}; check the network and the variables of Google Cloud`);
}
