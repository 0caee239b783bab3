import type { Commit, SessionStore } from "./session-store.js";

/** Turns many appends into few commits. */
export interface GroupCommit {
  /** Resolves when the commit is durable; commits keep the order of the calls. */
  add(commit: Commit): Promise<void>;
  /** Resolves when all that was added is durable. */
  close(): Promise<void>;
}

interface Waiting {
  readonly commit: Commit;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Everything that is added while a commit runs, or in the same turn of the event loop, is the next
 * commit. Should a store refuse one, all that was in it is refused.
 */
export function createGroupCommit(store: SessionStore): GroupCommit {
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        await store.commit(group.map(({ commit }) => commit));
        for (const { resolve } of group) resolve();
      } catch (reason) {
        for (const { reject } of group) reject(reason);
      }
    }
    flushing = undefined;
  }

  return {
    add(commit) {
      return new Promise((resolve, reject) => {
        waiting.push({ commit, resolve, reject });
        flushing ??= new Promise<void>((done) => setImmediate(done)).then(flush);
      });
    },
    async close() {
      await flushing;
    },
  };
}
