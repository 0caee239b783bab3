import type { MeasuredCommit } from "../metrics/metrics.js";
import type { Commit, SessionStore } from "./session-store.js";

/** Turns many appends of many sessions into few commits. */
export interface GroupCommit {
  /** A way in for one session. */
  openLane(): CommitLane;
  /** Resolves when all that was added is durable. */
  close(): Promise<void>;
}

/** One session's way in. Once a commit fails, all that follow in the lane are refused too. */
export interface CommitLane {
  /** Calls back when the commit is durable or refused; commits keep the order of the calls. */
  add(commit: Commit, callbacks: CommitCallbacks): void;
}

/** Callbacks, not a promise: what is committed is announced before anyone else gets a turn. */
export interface CommitCallbacks {
  onCommitted(): void;
  onRefused(reason: unknown): void;
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
 * commit. Should the store refuse it, each session's part is tried apart, so that one session's
 * fault is not another's; what is refused then ends its lane, since what follows has lost its place.
 */
export function createGroupCommit(
  store: Pick<SessionStore, "commit">,
  onCommit: ((group: MeasuredCommit) => void) | undefined = undefined,
): GroupCommit {
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      // Sockets get their turn before each commit: a busy session must not starve who reads it.
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
    try {
      await commitMeasured(open.map(({ commit }) => commit));
    } catch (reason) {
      const lanes = new Set(open.map(({ lane }) => lane));
      if (lanes.size === 1) for (const each of open) fail(each, reason);
      else for (const lane of lanes) await commitGroup(open.filter((each) => each.lane === lane));
      return;
    }
    for (const { callbacks } of open) callbacks.onCommitted();
  }

  async function commitMeasured(commits: readonly Commit[]): Promise<void> {
    if (onCommit === undefined) return await store.commit(commits);
    const startedAt = performance.now();
    let isStored = false;
    try {
      await store.commit(commits);
      isStored = true;
    } finally {
      const seconds = (performance.now() - startedAt) / 1_000;
      onCommit({ appends: commits.length, seconds, isStored });
    }
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

function isOpen({ lane, callbacks }: Waiting): boolean {
  if (lane.failure !== undefined) callbacks.onRefused(lane.failure.reason);
  return lane.failure === undefined;
}

function fail({ lane, callbacks }: Waiting, reason: unknown): void {
  lane.failure = { reason };
  callbacks.onRefused(reason);
}
