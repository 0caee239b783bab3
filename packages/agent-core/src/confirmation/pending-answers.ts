/** Waits for the answers to questions, by the id of their call. */
export interface PendingAnswers {
  /**
   * Resolves when {@link settle} is called for the same call, or on abort. Call it only while the question is
   * open, because an earlier `settle` is not remembered.
   */
  wait(toolCallId: string, signal: AbortSignal): Promise<void>;
  /** Ends the wait of a call whose question is answered. Does nothing if no code waits. */
  settle(toolCallId: string): void;
}

/** Creates an object without waits. It stores no answers; these are in the state of the session. */
export function createPendingAnswers(): PendingAnswers {
  const waiting = new Map<string, () => void>();
  return {
    wait(toolCallId, signal) {
      if (signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const finish = () => {
          signal.removeEventListener("abort", finish);
          waiting.delete(toolCallId);
          resolve();
        };
        signal.addEventListener("abort", finish);
        waiting.set(toolCallId, finish);
      });
    },
    settle(toolCallId) {
      waiting.get(toolCallId)?.();
    },
  };
}
