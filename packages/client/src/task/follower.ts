import type { SubscribeOptions } from "./task-handle.js";

/** Follows a task while anyone subscribes to it. */
export interface Follower {
  /** Begins to follow, or to follow on, if anyone subscribes. */
  start(): void;
  /** Adds a subscriber; gives how it leaves. */
  join(options: SubscribeOptions): () => void;
}

/** Creates a follower; `follow` reads the task to its end. */
export function createFollower(follow: (signal: AbortSignal) => AsyncIterable<unknown>): Follower {
  const members = new Set<SubscribeOptions>();
  let running: AbortController | undefined;
  let isWanted = false;

  async function run(abort: AbortController): Promise<void> {
    try {
      for await (const _ of follow(abort.signal));
    } catch (reason) {
      for (const { onError } of [...members]) onError?.(reason);
    }
    if (running !== abort) return;
    running = undefined;
    // Asked for while the loop was on its way out.
    if (isWanted) start();
  }

  function start(): void {
    isWanted = running !== undefined;
    if (members.size === 0 || running !== undefined) return;
    running = new AbortController();
    void run(running);
  }

  return {
    start,
    join(options: SubscribeOptions): () => void {
      const member = { ...options };
      members.add(member);
      start();
      return () => {
        members.delete(member);
        if (members.size > 0) return;
        running?.abort();
        running = undefined;
      };
    },
  };
}
