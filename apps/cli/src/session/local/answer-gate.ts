/**
 * Lets answers of others wait while the person at the terminal is answering: a number counts from the
 * moment it was pressed, though for a moment more it may turn out to begin a sentence.
 */
export interface AnswerGate {
  /** A key answers this question unless another one follows; undefined: none does any more. */
  holdKey(toolCallId: string | undefined): void;
  /** Does what brings the terminal's answer to the agent; others wait until it is there. */
  pass<TResult>(toolCallId: string, work: () => Promise<TResult>): Promise<TResult>;
  /** Resolves when nobody at the terminal is answering this question. */
  settled(toolCallId: string): Promise<void>;
}

/** A gate that nobody holds. */
export function createAnswerGate(): AnswerGate {
  const passing = new Set<string>();
  let waiting: (() => void)[] = [];
  let held: string | undefined;

  function open(): void {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  return {
    holdKey(toolCallId) {
      if (held === toolCallId) return;
      held = toolCallId;
      open();
    },
    async pass(toolCallId, work) {
      passing.add(toolCallId);
      try {
        return await work();
      } finally {
        passing.delete(toolCallId);
        open();
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
