import { untilAborted } from "../transport/abort-signals.js";

/** Sends prompts one after the other, because a prompt goes to the task that the one before it created. */
export interface SendQueue {
  /** Resolves when every prompt that was queued so far is sent or refused. */
  whenSent(): Promise<unknown>;
  /** Sends when its turn comes; skipped if the signal aborts before that. */
  run(send: () => Promise<void>, signal: AbortSignal | undefined): Promise<void>;
}

/** Creates an empty queue. */
export function createSendQueue(): SendQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    whenSent: () => last,
    async run(send, signal) {
      const sending = last.then(() => {
        signal?.throwIfAborted();
        return send();
      });
      last = sending.catch(() => {});
      await untilAborted(sending, signal);
    },
  };
}
