import { ProtocolError } from "@dt/schema";
import { type Clock, systemClock } from "../clock.js";
import type { MeasuredCommit } from "../metrics/metrics.js";
import { type Commit, type CommitOutcome, type CommitOutcomes, isSpeech } from "./commit.js";
import { LeaseLost } from "./lease.js";
import type { SessionStore, StoredSession } from "./session-store.js";

/** Groups the commits of many sessions, so that the store writes each group at once. */
export interface GroupCommit {
  /** Opens the queue of one session. */
  openQueue(): CommitQueue;
  /** Resolves when everything that was added is durable or refused. */
  close(): Promise<void>;
}

/** The queue of one session. After a commit has failed, all later commits are refused. */
export interface CommitQueue {
  /** Adds a commit after the earlier ones. One of the callbacks runs when the commit is durable or refused. */
  add(commit: Commit, callbacks: CommitCallbacks): void;
}

/** Callbacks of one commit. They are functions, because a promise would resolve only after other code has run. */
export interface CommitCallbacks {
  onCommitted(): void;
  onRefused(reason: unknown): void;
}

/** The error of a commit whose outcome is unknown, because the store could not be read after the commit. */
export class CommitUnknown extends ProtocolError {
  constructor(contextId: string, cause: unknown) {
    const message = `the store did not say whether it stored the last step of the session ${contextId}; send the same message again`;
    super("agent-busy", message, { cause });
  }
}

/** Options of {@link createGroupCommit}. */
export interface GroupCommitOptions {
  readonly store: Pick<SessionStore, "commit" | "findSession">;
  readonly onCommit?: ((group: MeasuredCommit) => void) | undefined;
  readonly clock?: Pick<Clock, "elapsedMs">;
}

/** Shortest time between the starts of two groups that contain only text and thoughts of models. */
const SPEECH_PACE_MS = 5;
/** A group with this many commits does not wait. */
const MAX_PACED_COMMITS = 128;

interface QueueState {
  failure: { readonly reason: unknown } | undefined;
}

interface Waiting {
  readonly queue: QueueState;
  readonly commit: Commit;
  readonly callbacks: CommitCallbacks;
}

/**
 * Creates a group commit. All commits that arrive while the store writes a group form the next group. If the
 * store refuses a group, the commits of each session are tried alone, so that one session does not stop
 * another. A refusal ends the queue of its session, because later commits would not match the stored head.
 */
export function createGroupCommit(options: GroupCommitOptions): GroupCommit {
  const { store, clock = systemClock } = options;
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  const pace = createPace(clock);

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      // This lets Node serve sockets before each commit, so that a busy session does not delay its subscribers.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (!waiting.some(isUrgent)) await pace.wait(waiting.length);
      const group = waiting;
      waiting = [];
      await commitGroup(group);
    }
    flushing = undefined;
  }

  async function commitGroup(group: readonly Waiting[]): Promise<void> {
    const open = group.filter(acceptOrRefuse);
    if (open.length === 0) return;
    let outcomes: CommitOutcomes;
    try {
      outcomes = await commitMeasured(
        open.map(({ commit }) => commit),
        options,
      );
    } catch (reason) {
      const queues = new Set(open.map(({ queue }) => queue));
      if (queues.size === 1) for (const each of open) fail(each, reason);
      else
        for (const queue of queues) await commitGroup(open.filter((each) => each.queue === queue));
      return;
    }
    const unknown: Waiting[] = [];
    for (const each of open) {
      const outcome = outcomes.get(each.commit.contextId) ?? "unknown";
      if (outcome === "unknown") unknown.push(each);
      else settle(each, outcome);
    }
    for (const each of unknown) await lookUp(each, store);
  }

  return {
    openQueue() {
      const queue: QueueState = { failure: undefined };
      return {
        add(commit, callbacks) {
          const added = { queue, commit, callbacks };
          waiting.push(added);
          if (isUrgent(added) || waiting.length >= MAX_PACED_COMMITS) pace.end();
          flushing ??= flush();
        },
      };
    },
    async close() {
      await flushing;
    },
  };
}

function isUrgent({ commit }: Waiting): boolean {
  return !isSpeech(commit);
}

/**
 * Creates the pause before a group of text. Without it, many sessions whose models write at once would each need a
 * transaction for every piece of text, and they would slow down everything else.
 */
function createPace({ elapsedMs }: Pick<Clock, "elapsedMs">) {
  let startedMs = Number.NEGATIVE_INFINITY;
  let end = () => {};
  return {
    /** Waits until a group of text may start: at once if none has started lately. */
    async wait(commits: number): Promise<void> {
      const pauseMs = startedMs + SPEECH_PACE_MS - elapsedMs();
      if (pauseMs > 0 && commits < MAX_PACED_COMMITS) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, pauseMs);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        end = () => {};
      }
      startedMs = elapsedMs();
    },
    /** Ends a pause that is under way, because something else must be stored. */
    end: () => end(),
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

/** Reads the session to find the unknown outcome of a commit. */
async function lookUp(each: Waiting, store: Pick<SessionStore, "findSession">): Promise<void> {
  if (!acceptOrRefuse(each)) return;
  const { commit } = each;
  try {
    settle(each, judgeUnknown(commit, await store.findSession(commit.contextId)));
  } catch (cause) {
    fail(each, new CommitUnknown(commit.contextId, cause));
  }
}

/** Decides the outcome of a commit from the stored session. `absent` means that it was not stored. Pure. */
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
  else
    fail(
      each,
      new Error(
        `the connection to the store broke before a commit of the session ${contextId} was stored`,
      ),
    );
}

/** Returns true if the queue of a commit has not failed; otherwise refuses the commit. */
function acceptOrRefuse({ queue, callbacks }: Waiting): boolean {
  if (queue.failure !== undefined) callbacks.onRefused(queue.failure.reason);
  return queue.failure === undefined;
}

function fail({ queue, callbacks }: Waiting, reason: unknown): void {
  queue.failure = { reason };
  callbacks.onRefused(reason);
}
