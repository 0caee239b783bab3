import type { SessionEvent, TaskView } from "@dt/schema";

/** Prompts that were sent to a running task and have not come back as events yet. */
export interface UnseenPrompts {
  readonly size: number;
  /** Expects the prompt that a view ends with, unless another view shows it already. */
  expect(sent: TaskView, shown: TaskView): void;
  saw(event: SessionEvent): void;
}

/** Creates an empty list. */
export function createUnseenPrompts(): UnseenPrompts {
  /** Message id → whether it was seen in the queue. */
  const expected = new Map<string, boolean>();
  return {
    get size() {
      return expected.size;
    },
    expect({ items }, shown) {
      const last = items.findLast(({ event }) => event.kind === "USER_PROMPT")?.event;
      if (last?.kind !== "USER_PROMPT" || showsPrompt(shown, last.messageId)) return;
      expected.set(last.messageId, false);
    },
    saw(event) {
      if (event.kind === "USER_PROMPT") expected.delete(event.messageId);
      if (event.kind !== "QUEUE") return;
      const queued = new Set(event.prompts.map(({ messageId }) => messageId));
      for (const [messageId, wasQueued] of expected) {
        if (queued.has(messageId)) expected.set(messageId, true);
        // Withdrawn, or about to begin: its turn follows in the same breath.
        else if (wasQueued) expected.delete(messageId);
      }
    },
  };
}

function showsPrompt({ items }: TaskView, messageId: string): boolean {
  return items.some(({ event }) => event.kind === "USER_PROMPT" && event.messageId === messageId);
}
