/** Those who wait for a question to be settled, by the id of its call. */
export interface PendingAnswers {
  /** Resolves when {@link settle} is called for it, or on abort. Ask only while the question is open. */
  wait(toolCallId: string, signal: AbortSignal): Promise<void>;
  settle(toolCallId: string): void;
}

/** Holds nothing but the waiting: what was answered stands in the session's state. */
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
