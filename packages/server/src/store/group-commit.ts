import { ProtocolError } from "@dt/schema";
import { type Clock, systemClock } from "../clock.js";
import type { MeasuredCommit } from "../metrics/metrics.js";
import type { Commit, CommitOutcome, CommitOutcomes } from "./commit.js";
import { LeaseLost } from "./lease.js";
import type { SessionStore, StoredSession } from "./session-store.js";

/** Turns many appends of many sessions into few commits. */
export interface GroupCommit {
  /** Opens the queue of one session. */
  openLane(): CommitLane;
  /** Resolves when everything that was added is durable. */
  close(): Promise<void>;
}

/** The queue of one session. Once a commit fails, all that follow are refused too. */
export interface CommitLane {
  /** Calls back when the commit is durable or refused; commits keep the order of the calls. */
  add(commit: Commit, callbacks: CommitCallbacks): void;
}

/** Callbacks, not a promise: a commit is announced before anything else runs. */
export interface CommitCallbacks {
  onCommitted(): void;
  onRefused(reason: unknown): void;
}

/** A commit of which nobody knows whether it was stored, because the store could not be asked. */
export class CommitUnknown extends ProtocolError {
  constructor(contextId: string, cause: unknown) {
    const message = `it is not known whether the last step of the session ${contextId} was stored; send the same message again`;
    super("agent-busy", message, { cause });
  }
}

/** Options of {@link createGroupCommit}. */
export interface GroupCommitOptions {
  readonly store: Pick<SessionStore, "commit" | "findSession">;
  readonly onCommit?: ((group: MeasuredCommit) => void) | undefined;
  readonly clock?: Pick<Clock, "elapsedMs">;
}

interface Lane {
  failure: { readonly reason: unknown } | undefined;
}

interface Waiting {
  readonly lane: Lane;
  readonly commit: Commit;
  readonly callbacks: CommitCallbacks;
}

/**
 * Everything that is added while a commit runs, or in the same turn of the event loop, is the next
 * commit. If the store refuses it, the part of each session is tried alone, so that a fault of one session
 * does not stop another. A refusal ends the lane, because later commits of it no longer fit.
 */
export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { store } = options;
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      // Sockets run before each commit, so that a busy session does not starve its readers.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const group = waiting;
      waiting = [];
      await commitGroup(group);
    }
    flushing = undefined;
  }

  async function commitGroup(group: readonly Waiting[]): Promise<void> {
    const open = group.filter(isOpen);
    if (open.length === 0) return;
    let outcomes: CommitOutcomes;
    try {
      outcomes = await commitMeasured(
        open.map(({ commit }) => commit),
        options,
      );
    } catch (reason) {
      const lanes = new Set(open.map(({ lane }) => lane));
      if (lanes.size === 1) for (const each of open) fail(each, reason);
      else for (const lane of lanes) await commitGroup(open.filter((each) => each.lane === lane));
      return;
    }
    const unknown: Waiting[] = [];
    for (const each of open) {
      const outcome = outcomes.get(each.commit.contextId) ?? "unknown";
      if (outcome === "unknown") unknown.push(each);
      else settle(each, outcome);
    }
    for (const each of unknown) await look(each, store);
  }

  return {
    openLane() {
      const lane: Lane = { failure: undefined };
      return {
        add(commit, callbacks) {
          waiting.push({ lane, commit, callbacks });
          flushing ??= flush();
        },
      };
    },
    async close() {
      await flushing;
    },
  };
}

async function commitMeasured(
  commits: readonly Commit[],
  { store, onCommit, clock = systemClock }: GroupCommitOptions,
): Promise<CommitOutcomes> {
  if (onCommit === undefined) return await store.commit(commits);
  const startedAt = clock.elapsedMs();
  let isStored = false;
  try {
    const outcomes = await store.commit(commits);
    isStored = [...outcomes.values()].every((outcome) => outcome === "stored");
    return outcomes;
  } finally {
    const seconds = (clock.elapsedMs() - startedAt) / 1_000;
    onCommit({ appends: commits.length, seconds, isStored });
  }
}

/** Reads the session back to learn the outcome of a commit that is unknown. */
async function look(each: Waiting, store: Pick<SessionStore, "findSession">): Promise<void> {
  if (!isOpen(each)) return;
  const { commit } = each;
  try {
    settle(each, judgeUnknown(commit, await store.findSession(commit.contextId)));
  } catch (cause) {
    fail(each, new CommitUnknown(commit.contextId, cause));
  }
}

/** Decides the outcome of a commit from the session as it is stored afterwards. Pure. */
export function judgeUnknown(
  { epoch, number }: Pick<Commit, "epoch" | "number">,
  stored: Pick<StoredSession, "epoch" | "commitNumber"> | undefined,
): CommitOutcome | "absent" {
  if (stored === undefined) return "absent";
  if (stored.epoch !== epoch) return "lost";
  return stored.commitNumber >= number ? "stored" : "absent";
}

function settle(each: Waiting, outcome: CommitOutcome | "absent"): void {
  const { contextId } = each.commit;
  if (outcome === "stored") each.callbacks.onCommitted();
  else if (outcome === "lost") fail(each, new LeaseLost(contextId));
  else fail(each, new Error(`the connection broke before ${contextId} was stored`));
}

function isOpen({ lane, callbacks }: Waiting): boolean {
  if (lane.failure !== undefined) callbacks.onRefused(lane.failure.reason);
  return lane.failure === undefined;
}

function fail({ lane, callbacks }: Waiting, reason: unknown): void {
  lane.failure = { reason };
  callbacks.onRefused(reason);
}
