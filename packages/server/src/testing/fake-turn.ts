import type { AgentEvent, Origin, TaskState, ToolCall, ToolCallConfirmation } from "@dt/schema";

/** One turn of a fake agent, in the hands of a test. */
export interface FakeTurn {
  readonly taskId: string;
  readonly turn: number;
  /** What was prompted. */
  readonly text: string;
  readonly origin: Origin;
  /** Aborts when the turn is cancelled or the agent closed. */
  readonly signal: AbortSignal;
  /** Commits an event of this turn. */
  emit(event: AgentEvent, header?: { readonly state?: TaskState }): Promise<void>;
  say(text: string): Promise<void>;
  /** Asks about calls together; resolves with each answer when all are given and committed. */
  ask(...calls: readonly ToolCall[]): Promise<readonly ToolCallConfirmation[]>;
  /** Shows live output, which is not logged. */
  showLive(toolCall: ToolCall): void;
}

/** What a fake agent does with a prompt. The turn ends in the state that it gives, else completed. */
export type FakeScript = (turn: FakeTurn) => Promise<TaskState | undefined>;

/** Says back what was prompted. */
export const echo: FakeScript = async (turn) => {
  await turn.say(turn.text);
};
