import { untilAborted } from "../transport/abort-signals.js";

/**
 * Sends prompts one by one, because the reply to a prompt can name the task for the next prompt.
 */
export interface SendQueue {
  /** Resolves when every prompt that was queued so far is sent or refused. */
  whenSent(): Promise<unknown>;
  /**
   * Calls `send` when all earlier prompts are sent or refused. Does not call `send` if the signal
   * aborts before that.
   */
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
