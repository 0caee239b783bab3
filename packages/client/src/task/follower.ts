import { createListeners } from "../events/listeners.js";
import type { SubscribeOptions } from "./task-handle.js";

/** Follows a conversation while there are subscribers. */
export interface Follower {
  /**
   * Starts a loop if there are subscribers. If a loop already runs, the new loop starts when that loop has
   * ended.
   */
  start(): void;
  /** Adds a subscriber; returns a function that removes it. */
  join(options: SubscribeOptions): () => void;
}

/** Creates a follower. `follow` yields the events of the conversation, and ends when its signal aborts. */
export function createFollower(follow: (signal: AbortSignal) => AsyncIterable<unknown>): Follower {
  const subscribers = createListeners<unknown>();
  let running: AbortController | undefined;
  let isWanted = false;

  async function run(abort: AbortController): Promise<void> {
    try {
      for await (const _ of follow(abort.signal));
    } catch (reason) {
      subscribers.notify(reason);
    }
    if (running !== abort) return;
    running = undefined;
    // start() was called during the loop.
    if (isWanted) start();
  }

  function start(): void {
    isWanted = running !== undefined;
    if (subscribers.size === 0 || running !== undefined) return;
    running = new AbortController();
    void run(running);
  }

  return {
    start,
    join({ onError = () => {} }) {
      const leave = subscribers.add(onError);
      start();
      return () => {
        leave();
        if (subscribers.size > 0) return;
        running?.abort();
        running = undefined;
      };
    },
  };
}
