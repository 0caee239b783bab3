import type {
  AgentEvent,
  EventHeader,
  Origin,
  Part,
  TaskState,
  ToolCall,
  ToolCallConfirmation,
} from "@dt/schema";

/** What a script may say of an event beside what happened. */
export type FakeHeader = Partial<Omit<EventHeader, "taskId" | "contextId" | "cursor">>;

/** One turn of a fake agent, in the hands of a test. */
export interface FakeTurn {
  readonly taskId: string;
  readonly contextId: string;
  /** The number of the turn in its session, from 1. */
  readonly turn: number;
  /** What was prompted. */
  readonly text: string;
  readonly parts: readonly Part[];
  readonly origin: Origin;
  /** Aborts when the turn is cancelled. */
  readonly signal: AbortSignal;
  /** Announces anything. */
  emit(event: AgentEvent, header?: FakeHeader): void;
  /** Says a piece of text. */
  say(text: string): void;
  think(subject: string, description: string): void;
  /** Announces a tool call as it is now. */
  update(toolCall: ToolCall): void;
  /**
   * Asks about calls together, each with its `confirmationRequest`; resolves with the answers in the
   * same order. A call that was granted is EXECUTING by then, another one CANCELLED.
   */
  ask(...calls: readonly ToolCall[]): Promise<readonly ToolCallConfirmation[]>;
}

/** What a fake agent does with a prompt. The turn ends in the state that it gives, else completed. */
export type FakeScript = (turn: FakeTurn) => Promise<TaskState | undefined>;

/** Says back what was prompted. */
export const echo: FakeScript = async (turn) => {
  turn.say(turn.text);
};
