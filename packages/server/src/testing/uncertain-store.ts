import type { Commit, CommitOutcomes } from "../store/commit.js";
import type { SessionStore } from "../store/session-store.js";

/** A store whose connection can break during a commit, so that the outcome is `unknown`. */
export interface UncertainStore extends SessionStore {
  /** Makes the outcome of all later commits `unknown`. The commits are still written if `isStored` is true. */
  breakConnection(options: { readonly isStored: boolean }): void;
  /** Makes all later reads of sessions fail, so that the outcome of a commit cannot be looked up. */
  refuseReads(reason: Error): void;
  /** Ends the effects of `breakConnection` and `refuseReads`. */
  repair(): void;
  /** Called when a session is read. The read waits until the promise resolves. */
  onRead: () => Promise<void>;
}

/** Wraps a store. */
export function openUncertainStore(store: SessionStore): UncertainStore {
  let broken: { readonly isStored: boolean } | undefined;
  let refusal: Error | undefined;

  async function commitUnknown(
    commits: readonly Commit[],
    isStored: boolean,
  ): Promise<CommitOutcomes> {
    if (isStored) await store.commit(commits);
    return new Map(commits.map(({ contextId }) => [contextId, "unknown"]));
  }

  const uncertain: UncertainStore = {
    ...store,
    onRead: async () => {},
    async commit(commits) {
      return broken === undefined
        ? await store.commit(commits)
        : await commitUnknown(commits, broken.isStored);
    },
    async findSession(contextId) {
      await uncertain.onRead();
      if (refusal !== undefined) throw refusal;
      return await store.findSession(contextId);
    },
    breakConnection(options) {
      broken = options;
    },
    refuseReads(reason) {
      refusal = reason;
    },
    repair() {
      broken = undefined;
      refusal = undefined;
    },
  };
  return uncertain;
}
