import type { JsonObject, SessionReply } from "@dt/schema";
import type { PushRecord } from "./push-record.js";
import type { LogEvent, SessionRecord, StoredReceipt } from "./session-store.js";

/** One append to the log of one session. A store writes the whole commit or nothing. */
export interface Commit {
  readonly contextId: string;
  /** Epoch of the lease that the owner holds. */
  readonly epoch: number;
  /** Number of the commit in its session, from 1. A commit that is sent again has the same number. */
  readonly number: number;
  /** Position of the session's last event before this commit. */
  readonly expectedHead: number;
  /** Set on the first commit of a session. */
  readonly session?: SessionRecord;
  readonly events: readonly LogEvent[];
  readonly journal: readonly JsonObject[];
  readonly receipt?: StoredReceipt;
  /** Dialect of a task that this commit creates; ignored if the task exists already. */
  readonly dialect?: { readonly taskId: string; readonly name: string };
  /** Push config that the client sent with the message. The store saves it as `savePush` does. */
  readonly push?: PushRecord;
  /**
   * A request from another instance that this commit accepts, with its reply. Only a store with instances saves the
   * reply.
   */
  readonly answered?: AnsweredRequest;
  /** True if the commit must survive a loss of power. */
  readonly isCritical: boolean;
}

/** A request in the inbox, and the reply to it. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly reply: SessionReply;
}

/**
 * Result of a commit for one session. `stored` means that the commit is durable. `lost` means that the owner has lost
 * the lease and nothing was written. `unknown` means that the connection broke before the store answered.
 */
export type CommitOutcome = "stored" | "lost" | "unknown";

/** Outcomes by contextId. */
export type CommitOutcomes = ReadonlyMap<string, CommitOutcome>;

/** The stored state of a session that its next commit must match. */
export interface SessionHead {
  readonly epoch: number;
  /** Number of the last commit. */
  readonly commitNumber: number;
  /** Position of the last event. */
  readonly position: number;
}

/** Result of {@link planCommits}: the commits to write, or `lost`. */
export type CommitPlan =
  | { readonly type: "lost" }
  | { readonly type: "write"; readonly commits: readonly Commit[] };

/** The state that the commits of a session must continue. */
export interface CommitPlanOptions {
  /** Undefined if the session is not stored. */
  readonly head: SessionHead | undefined;
  /** Epoch of the lease that this process has on the session. Without a lease, only the head is compared. */
  readonly heldEpoch?: number | undefined;
}

/**
 * Decides which commits of one session are written. Commits that are stored already are left out. Throws if the
 * commits do not continue at the head of the session. Pure; every driver uses it.
 */
export function planCommits(
  commits: readonly [Commit, ...Commit[]],
  { head, heldEpoch }: CommitPlanOptions,
): CommitPlan {
  const { epoch, number } = commits[0];
  if (epoch !== (heldEpoch ?? epoch) || epoch !== (head?.epoch ?? epoch)) return { type: "lost" };
  let { commitNumber, position } = head ?? NO_HEAD;
  const stored = commitNumber;
  const left = number > stored ? commits : commits.filter((each) => each.number > stored);
  for (const commit of left) {
    commitNumber += 1;
    const isStored = head !== undefined || commit !== left[0];
    checkNext(commit, { epoch, commitNumber, position }, isStored);
    position += commit.events.length;
  }
  return { type: "write", commits: left };
}

const NO_HEAD = { commitNumber: 0, position: 0 };

function checkNext(commit: Commit, next: SessionHead, isStored: boolean): void {
  const { contextId, session, events } = commit;
  const { commitNumber, position } = next;
  if (isStored && session !== undefined) throw new Error(`the session ${contextId} exists already`);
  if (!isStored && session === undefined) throw new Error(`there is no session ${contextId}`);
  if (commit.number !== commitNumber) {
    throw new Error(
      `the session ${contextId} expects the commit ${commitNumber}, but got ${commit.number}`,
    );
  }
  if (commit.expectedHead !== position) {
    throw new Error(
      `the session ${contextId} is at the position ${position}, not at ${commit.expectedHead}`,
    );
  }
  if (commit.epoch !== next.epoch) {
    throw new Error(`the commits of the session ${contextId} have different epochs`);
  }
  let last = position;
  for (const { position } of events) {
    last += 1;
    if (position !== last) throw new Error(`the session ${contextId} expects the position ${last}`);
  }
}

/** Groups commits by session, in their order. */
export function groupBySession(
  commits: readonly Commit[],
): ReadonlyMap<string, readonly [Commit, ...Commit[]]> {
  const groups = new Map<string, [Commit, ...Commit[]]>();
  for (const commit of commits) {
    const group = groups.get(commit.contextId);
    if (group === undefined) groups.set(commit.contextId, [commit]);
    else group.push(commit);
  }
  return groups;
}

/** Returns true if a commit contains only text and thoughts of the model. Nothing waits for such a commit. */
export function isSpeech(commit: Commit): boolean {
  const { isCritical, session, receipt, push, journal, events } = commit;
  if (isCritical || session !== undefined || receipt !== undefined || push !== undefined)
    return false;
  return journal.length === 0 && events.every(({ event }) => isSpoken(event.kind));
}

function isSpoken(kind: string): boolean {
  return kind === "TEXT_CONTENT" || kind === "THOUGHT" || kind === "THOUGHT_SUMMARY";
}
