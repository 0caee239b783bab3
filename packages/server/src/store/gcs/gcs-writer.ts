import { SetupError } from "@dt/schema";
import { type CommitOutcome, groupBySession, planCommits } from "../commit.js";
import type { LeaseBook } from "../lease-book.js";
import type { SessionStore } from "../session-store.js";
import type { ObjectBucket } from "./bucket/object-bucket.js";
import { viewName } from "./gcs-reader.js";
import type { SegmentLog } from "./log/segment-log.js";
import type { CallRecord, LoggedMethod } from "./log/store-record.js";
import { toBucketStoreFault } from "./log/taken-over.js";
import { findIndexedHead, type GcsState } from "./state/gcs-state.js";

/** The methods of the store that write. */
export type GcsWriter = Pick<SessionStore, LoggedMethod | "commit" | "acquire" | "saveView">;

/** Options of {@link createGcsWriter}. */
export interface GcsWriterOptions {
  readonly bucket: ObjectBucket;
  readonly state: GcsState;
  readonly log: SegmentLog;
  readonly leases: LeaseBook;
  checkOpen(): void;
  /** Called after a session was deleted. */
  onDeleted(): void;
}

/** Creates the writing methods of the process that owns the bucket. */
export function createGcsWriter(options: GcsWriterOptions): GcsWriter {
  const { bucket, state, log, leases, checkOpen, onDeleted } = options;
  const { tables } = state;

  /** Appends a call to the log, unless the call would have no effect. */
  async function call<TMethod extends LoggedMethod>(
    name: TMethod,
    args: Parameters<SessionStore[TMethod]>,
    idle?: { isIdle(): boolean; readonly result: Awaited<ReturnType<SessionStore[TMethod]>> },
  ): Promise<Awaited<ReturnType<SessionStore[TMethod]>>> {
    checkOpen();
    if (idle?.isIdle() === true) return idle.result;
    return await log.run({
      needsState: false,
      plan: () => [{ call: name, args } as CallRecord],
      finish: ([result]) => result as Awaited<ReturnType<SessionStore[TMethod]>>,
    });
  }

  const pushesOf = (contextId?: string) =>
    [...tables.pushes.values()]
      .flat()
      .filter((push) => contextId === undefined || push.contextId === contextId);

  return {
    async commit(commits) {
      checkOpen();
      const outcomes = new Map<string, CommitOutcome>();
      return await log.run({
        needsState: true,
        plan: () =>
          [...groupBySession(commits)].flatMap(([contextId, parts]) => {
            const head = findIndexedHead(state, contextId);
            const plan = planCommits(parts, { head, heldEpoch: leases.epochOf(contextId) });
            outcomes.set(contextId, plan.type === "lost" ? "lost" : "stored");
            return plan.type === "lost" ? [] : plan.commits.map((commit) => ({ commit }));
          }),
        finish: () => outcomes,
        doubt: () =>
          new Map(
            [...outcomes].map(([id, outcome]) => [id, outcome === "lost" ? "lost" : "unknown"]),
          ),
      });
    },
    async acquire(contextId, acquireOptions) {
      checkOpen();
      // While the outcome of a segment is unknown, the head of the session is unknown too.
      if (log.isInDoubt) await log.settle();
      leases.check(contextId, acquireOptions);
      const session = tables.sessions.get(contextId);
      const epoch = Math.max(session?.epoch ?? 0, leases.epochOf(contextId) ?? 0) + 1;
      if (session !== undefined) tables.sessions.set(contextId, { ...session, epoch });
      return leases.open(contextId, epoch);
    },
    async saveView(view) {
      checkOpen();
      const { contextId, taskId } = view;
      await bucket
        .write(viewName(contextId, taskId), JSON.stringify(view), "application/json")
        .catch((error: unknown) => {
          throw toBucketStoreFault(error);
        });
    },
    savePush: (...args) => call("savePush", args),
    deletePush: (...args) => call("deletePush", args),
    notePush: (...args) => call("notePush", args),
    claimPushes: (...args) =>
      call("claimPushes", args, {
        isIdle: () =>
          pushesOf(args[0].contextId).every(({ progress: { nextAttemptAt } }) =>
            nextAttemptAt === undefined ? true : nextAttemptAt > args[0].now,
          ),
        result: [],
      }),
    resumePushes: (...args) =>
      call("resumePushes", args, {
        isIdle: () => pushesOf(args[1]?.contextId).length === 0,
        result: false,
      }),
    reserveBudget: (...args) => call("reserveBudget", args),
    settleBudget: (...args) => call("settleBudget", args),
    createGrant: (...args) => call("createGrant", args),
    revokeGrant: (...args) => call("revokeGrant", args),
    addAudit: (...args) => call("addAudit", args),
    changeOwner: (...args) => call("changeOwner", args),
    async deleteSession(contextId) {
      await call("deleteSession", [contextId]);
      onDeleted();
    },
  };
}

/** Creates the writing methods of a process that does not own the bucket. Each method rejects. */
export function createRefusingWriter(place: string): GcsWriter {
  const refuse = async (): Promise<never> => {
    throw new SetupError(`this command does not own the bucket ${place}, so it cannot write to it`);
  };
  return {
    commit: refuse,
    acquire: refuse,
    saveView: refuse,
    savePush: refuse,
    deletePush: refuse,
    notePush: refuse,
    claimPushes: refuse,
    resumePushes: refuse,
    reserveBudget: refuse,
    settleBudget: refuse,
    createGrant: refuse,
    revokeGrant: refuse,
    addAudit: refuse,
    changeOwner: refuse,
    deleteSession: refuse,
  };
}
