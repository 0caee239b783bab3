/**
 * Holds answers of other clients while the person at the terminal is answering. A number key answers only
 * after a short delay, because it may be the first character of a prompt. An answer of another client
 * that arrives during the delay waits, so that the pressed key wins.
 */
export interface AnswerGate {
  /**
   * Makes other clients' answers to a question wait while a pressed key may answer the question. Call it with
   * undefined when the key can no longer answer; the waiting answers then continue.
   */
  holdOthers(toolCallId: string | undefined): void;
  /** Sends the terminal's answer with `work`. Other clients' answers to the question wait until `work` is done. */
  pass<TResult>(toolCallId: string, work: () => Promise<TResult>): Promise<TResult>;
  /** Resolves when the terminal is not answering this question. */
  settled(toolCallId: string): Promise<void>;
}

/** Creates a gate that holds no answers. */
export function createAnswerGate(): AnswerGate {
  const passing = new Set<string>();
  let waiting: (() => void)[] = [];
  let held: string | undefined;

  // Makes waiting answers check again whether the terminal still answers their question.
  function wakeWaiting(): void {
    const released = waiting;
    waiting = [];
    for (const release of released) release();
  }

  return {
    holdOthers(toolCallId) {
      if (held === toolCallId) return;
      held = toolCallId;
      wakeWaiting();
    },
    async pass(toolCallId, work) {
      passing.add(toolCallId);
      try {
        return await work();
      } finally {
        passing.delete(toolCallId);
        wakeWaiting();
      }
    },
    async settled(toolCallId) {
      while (held === toolCallId || passing.has(toolCallId)) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      }
    },
  };
}
