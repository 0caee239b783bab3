import { type AgentLedger, type LedgerEntry, ProtocolError } from "@dt/schema";
import type { Commit, SessionHead } from "../store/commit.js";
import { type CommitQueue, CommitUnknown } from "../store/group-commit.js";
import { type Lease, LeaseLost } from "../store/lease.js";
import type { LogEvent, SessionRecord } from "../store/session-store.js";
import { StoreFault } from "../store/store-fault.js";
import type { WritableLog } from "./session-log.js";

/** Options of {@link openSessionLedger}. */
export interface SessionLedgerOptions {
  readonly session: SessionRecord;
  readonly log: WritableLog;
  readonly lease: Pick<Lease, "epoch" | "lost">;
  /** Head of the stored session, read under the lease; undefined if the session is not stored yet. */
  readonly head: Pick<SessionHead, "commitNumber" | "position"> | undefined;
  readonly queue: CommitQueue;
  /** Called with events that are committed, before subscribers are notified. */
  onCommitted?(events: readonly LogEvent[]): void;
  /** Called with every commit after it was announced. */
  onAnnounced?(commit: Commit): void;
  /** Called once, after the log was closed because a commit failed or the lease was lost. */
  onFailure?(reason: unknown): void;
}

/** Opens the ledger of a session. It numbers commits, and announces events when they are durable. */
export function openSessionLedger(options: SessionLedgerOptions): AgentLedger {
  const { session, log, lease, queue } = options;
  const { onCommitted = () => {}, onAnnounced = () => {}, onFailure = () => {} } = options;
  const { contextId } = session;
  const { epoch } = lease;
  let isNew = options.head === undefined;
  let assigned = options.head?.position ?? 0;
  let commitNumber = options.head?.commitNumber ?? 0;

  function toCommit({ events, journal = [], isCritical = false, receipt }: LedgerEntry): Commit {
    const expectedHead = assigned;
    assigned += events.length;
    commitNumber += 1;
    const push = receipt && log.pushes.take(receipt);
    const waiting = receipt && log.replies.take(receipt);
    const dialect = findDialect(events, log);
    const commit: Commit = {
      contextId,
      epoch,
      number: commitNumber,
      expectedHead,
      events: events.map((event, index) => ({ position: expectedHead + index + 1, epoch, event })),
      journal,
      isCritical,
      ...(isNew && { session }),
      ...(receipt !== undefined && {
        receipt: { ...receipt, contextId, afterPosition: expectedHead },
      }),
      ...(push !== undefined && {
        push: { ...push, progress: { ...push.progress, after: expectedHead } },
      }),
      ...(waiting !== undefined &&
        receipt !== undefined && {
          answered: {
            requestId: waiting.requestId,
            reply: waiting.toReply({ ...receipt, afterPosition: expectedHead }),
          },
        }),
      ...(dialect !== undefined && { dialect }),
    };
    isNew = false;
    return commit;
  }

  function fail(reason: unknown): void {
    if (log.isClosed) return;
    log.close();
    onFailure(reason);
  }

  lease.lost.addEventListener("abort", () => fail(lease.lost.reason), { once: true });

  return {
    publishLive: (event) => log.publishLive(event),
    append(entry) {
      if (log.isClosed) {
        const message = "the session is closing; send the message again";
        return Promise.reject(new ProtocolError("agent-busy", message));
      }
      const commit = toCommit(entry);
      return new Promise((resolve, reject) => {
        queue.add(commit, {
          onCommitted() {
            if (commit.events.length > 0 && !log.isClosed) onCommitted(commit.events);
            log.announce(commit.events);
            onAnnounced(commit);
            resolve(commit.expectedHead);
          },
          onRefused(reason) {
            fail(reason);
            reject(toRefusal(reason));
          },
        });
      });
    },
  };
}

// Finds the dialect of the task that the events create; undefined for A2A, because `newDialects` lists only tasks in
// other dialects.
function findDialect(
  events: LedgerEntry["events"],
  { newDialects }: Pick<WritableLog, "newDialects">,
): Commit["dialect"] {
  if (newDialects.size === 0) return undefined;
  const taskId = events.find((event) => newDialects.has(event.taskId))?.taskId ?? "";
  const name = newDialects.get(taskId);
  return name === undefined ? undefined : { taskId, name };
}

function toRefusal(cause: unknown): ProtocolError {
  if (cause instanceof StoreFault || cause instanceof LeaseLost) return cause;
  if (cause instanceof CommitUnknown) return cause;
  const message = "this step could not be stored and had no effect; send the message again";
  return new ProtocolError("internal", message, { cause });
}
