import type { Commit } from "../store/commit.js";
import type { SessionStore } from "../store/session-store.js";

/** A store that can refuse commits, as on a full disk, and records the accepted ones. */
export interface RefusingStore extends SessionStore {
  /** The accepted commits, one list for each call of `commit`. */
  readonly groups: readonly (readonly Commit[])[];
  /** Refuses every commit from now on. */
  refuse(reason: Error): void;
  /** Accepts commits again. */
  accept(): void;
}

/** Wraps a store. */
export function openRefusingStore(store: SessionStore): RefusingStore {
  const groups: (readonly Commit[])[] = [];
  let refusal: Error | undefined;
  return {
    ...store,
    groups,
    async check() {
      if (refusal !== undefined) throw refusal;
      return await store.check();
    },
    async commit(commits) {
      if (refusal !== undefined) throw refusal;
      const outcomes = await store.commit(commits);
      groups.push(commits);
      return outcomes;
    },
    refuse(reason) {
      refusal = reason;
    },
    accept() {
      refusal = undefined;
    },
  };
}
