import type { Commit } from "../store/commit.js";
import type { SessionStore } from "../store/session-store.js";

/** A store that can be told to refuse commits, as a full disk does, and that notes those it took. */
export interface RefusingStore extends SessionStore {
  /** What was committed, one list for each call of `commit`. */
  readonly groups: readonly (readonly Commit[])[];
  /** Refuses every commit from now on. */
  refuse(reason: Error): void;
  /** Takes commits again. */
  accept(): void;
}

/** Puts itself before a store. */
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
