import { isWaitingState, type SessionEvent, type TaskView } from "@dt/schema";

/** Accepted prompts whose USER_PROMPT event has not arrived yet. */
export interface UnseenPrompts {
  readonly size: number;
  /** Expects the last prompt of `sent`, unless `shown` contains it already. */
  expect(sent: TaskView, shown: TaskView, isSteering?: boolean): void;
  /** Applies an event; returns true if it is an expected prompt. */
  apply(event: SessionEvent): boolean;
  /** Forgets withdrawn prompts: prompts that left the queue without a USER_PROMPT event. */
  settle(): void;
}

/** Creates an empty list. */
export function createUnseenPrompts(): UnseenPrompts {
  /** Message id → status: sent, sent to join the running turn, queued, or no longer queued. */
  const expected = new Map<string, "sent" | "steering" | "queued" | "left">();

  function forget(dropped: "left" | "steering"): void {
    for (const [messageId, status] of expected) {
      if (status === dropped) expected.delete(messageId);
    }
  }
  const settle = () => forget("left");

  return {
    get size() {
      return expected.size;
    },
    expect({ items }, shown, isSteering) {
      const last = items.findLast(({ event }) => event.kind === "USER_PROMPT")?.event;
      if (last?.kind !== "USER_PROMPT" || showsPrompt(shown, last.messageId)) return;
      expected.set(last.messageId, isSteering ? "steering" : "sent");
    },
    apply(event) {
      const isExpected = event.kind === "USER_PROMPT" && expected.delete(event.messageId);
      // A prompt that left the queue either begins with the next event, or was withdrawn.
      settle();
      // A cancelled turn drops the prompts that were sent to join it, and sends no event for them.
      if (event.kind === "STATE_CHANGE" && isWaitingState(event.state)) forget("steering");
      if (event.kind !== "QUEUE") return isExpected;
      const queued = new Set(event.prompts.map(({ messageId }) => messageId));
      for (const [messageId, status] of expected) {
        if (queued.has(messageId)) expected.set(messageId, "queued");
        else if (status === "queued") expected.set(messageId, "left");
      }
      return false;
    },
    settle,
  };
}

function showsPrompt({ items }: TaskView, messageId: string): boolean {
  return items.some(({ event }) => event.kind === "USER_PROMPT" && event.messageId === messageId);
}
