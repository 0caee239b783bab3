import type {
  AgentEvent,
  EventHeader,
  Origin,
  Part,
  TaskState,
  ToolCall,
  ToolCallConfirmation,
} from "@dt/schema";

/** Header fields that a script can set. */
export type FakeHeader = Partial<Omit<EventHeader, "taskId" | "contextId" | "cursor">>;

/** One turn of a fake agent, which a test scripts. */
export interface FakeTurn {
  readonly taskId: string;
  readonly contextId: string;
  /** Number of the turn in its session, from 1. */
  readonly turn: number;
  /** Text of the prompt. */
  readonly text: string;
  readonly parts: readonly Part[];
  readonly origin: Origin;
  /** Aborts when the turn is cancelled. */
  readonly signal: AbortSignal;
  /** Announces any event. */
  emit(event: AgentEvent, header?: FakeHeader): void;
  /** Announces a piece of text. */
  say(text: string): void;
  think(subject: string, description: string): void;
  /** Announces a tool call in its current state. */
  update(toolCall: ToolCall): void;
  /**
   * Asks about several calls at once, each with its `confirmationRequest`; resolves with the answers in the
   * same order. Before it resolves, approved calls become EXECUTING, and all other calls become CANCELLED.
   */
  ask(...calls: readonly ToolCall[]): Promise<readonly ToolCallConfirmation[]>;
}

/** Reaction of a fake agent to a prompt. Returns the final state; undefined means `completed`. */
export type FakeScript = (turn: FakeTurn) => Promise<TaskState | undefined>;

/** Replies with the text of the prompt. */
export const echo: FakeScript = async (turn) => {
  turn.say(turn.text);
};
