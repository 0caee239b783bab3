import type {
  AgentEvent,
  Origin,
  StateChange,
  TaskState,
  ToolCall,
  ToolCallConfirmation,
} from "@dt/schema";

/** One turn of a fake agent. The script of a test controls the turn. */
export interface ScriptedTurn {
  readonly taskId: string;
  readonly turn: number;
  /** Text of the prompt. */
  readonly text: string;
  readonly origin: Origin;
  /** Aborts when the turn is cancelled or the agent closed. */
  readonly signal: AbortSignal;
  /** Commits an event of this turn. */
  emit(event: AgentEvent, header?: { readonly state?: TaskState }): Promise<void>;
  say(text: string): Promise<void>;
  /** Asks about several calls. Returns the answers when all of them are committed. */
  ask(...calls: readonly ToolCall[]): Promise<readonly ToolCallConfirmation[]>;
  /** Shows live output, which is not logged. */
  showLive(toolCall: ToolCall): void;
}

/** Final state of a turn, and the agent's message about it. */
export type ScriptedEnd = Pick<StateChange, "statusParts"> & { readonly state: TaskState };

/** A script that runs the turn of a prompt. It returns the final state of the turn. Default: completed. */
export type TurnScript = (turn: ScriptedTurn) => Promise<TaskState | ScriptedEnd | undefined>;

/** Repeats the text of the prompt. */
export const echoPrompt: TurnScript = async (turn) => {
  await turn.say(turn.text);
};
