import type {
  ConfirmationAnswer,
  Origin,
  PermissionMode,
  PromptContent,
  TaskState,
  ToolCall,
  Usage,
} from "@dt/schema";
import type { NumberedAnswer } from "../confirmation/remembered-answers.js";
import type { HistoryItem } from "../model/history.js";
import type { OpenCall } from "./open-call.js";

/** A prompt to the model, or a slash command that runs as a turn. */
export interface Prompt extends PromptContent {
  /** Set if it is a slash command. */
  readonly command?: { readonly path: readonly string[]; readonly args: string };
}

/** A prompt that was taken, with the number of its turn. */
export interface TakenPrompt extends Prompt {
  readonly turn: number;
  readonly origin: Origin;
  /** The credential that it came with; never shown to observers. Undefined: anonymous. */
  readonly credential?: string;
}

/** The turn that runs. */
export interface RunningTurn {
  readonly prompt: TakenPrompt;
  /** The calls of the current step, in the order of the model's requests; empty between steps. */
  readonly calls: readonly OpenCall[];
  /** What was refused in this turn: nothing else may touch it before the next. */
  readonly denied: readonly string[];
  /** Whether the calls of the current step were not asked for by the model. */
  readonly isRound: boolean;
  /** Such calls that have ended, round by round. */
  readonly rounds: readonly (readonly ToolCall[])[];
  /** Prompts that join this turn at its next step. */
  readonly steering: readonly TakenPrompt[];
  /** Whether the conversation goes on in it; false for a command that has not come to the model. */
  readonly isModelAsked: boolean;
  /** How many answers the model has given. */
  readonly steps: number;
  /** What the model has consumed. */
  readonly usage?: Usage;
}

/** All that a session is, apart from what runs: the fold of its journal. Plain data. */
export interface SessionState {
  readonly history: readonly HistoryItem[];
  readonly queue: readonly TakenPrompt[];
  readonly turn?: RunningTurn;
  /** How many prompts were ever taken. */
  readonly turns: number;
  /** The state that each task was left in. */
  readonly tasks: Readonly<Record<string, TaskState>>;
  /** How the last turn of a task ended that goes on, since a prompt of it waits. */
  readonly unsettled: Readonly<Record<string, TaskState>>;
  /** The task that stays open: its turns end in `input-required`. (DESIGN 3.12) */
  readonly openTaskId?: string;
  /** Who settled which question, for those who answer late. */
  readonly answers: Readonly<Record<string, ConfirmationAnswer>>;
  readonly remembered: readonly NumberedAnswer[];
  /** How many answers were ever remembered. */
  readonly answersGiven: number;
  /** The modes that tasks were started with, each for the prompts of one credential. */
  readonly taskModes: Readonly<Record<string, TaskMode>>;
  /** The model that someone chose for the session. */
  readonly modelName?: string;
  /** The turn that failed last, while nothing came after it: it can be retried. */
  readonly failed?: TakenPrompt;
  /** Whether the last item of the history is an answer that broke off. */
  readonly isBrokenOff: boolean;
  /** How many tokens the last request to the model took. */
  readonly contextTokens: number;
  /** What all turns came to. */
  readonly totals: { readonly steps: number; readonly usage: Usage };
}

/** A mode that covers what one credential prompts in one task. */
export interface TaskMode {
  readonly principal: string;
  /** Undefined: anonymous requests of the principal, which cannot be told apart. */
  readonly credential?: string;
  readonly mode: PermissionMode;
}

/** A session in which nothing has happened. */
export const emptySessionState: SessionState = {
  history: [],
  queue: [],
  turns: 0,
  tasks: {},
  unsettled: {},
  answers: {},
  remembered: [],
  answersGiven: 0,
  taskModes: {},
  isBrokenOff: false,
  contextTokens: 0,
  totals: {
    steps: 0,
    usage: { inputTokens: 0, outputTokens: 0, thoughtTokens: 0, cachedTokens: 0 },
  },
};

/**
 * The prompts that wait once the running turn has ended. One that came too late to be heard in it is
 * the next; a cancel ends it as well.
 */
export function queueAfterTurn(
  { turn, queue }: SessionState,
  ended: TaskState,
): readonly TakenPrompt[] {
  return ended === "canceled" ? queue : [...(turn?.steering ?? []), ...queue];
}

/** Gets the prompt of the turn that runs; throws if none does. */
export function getRunningPrompt({
  turn,
}: {
  readonly turn?: RunningTurn | undefined;
}): TakenPrompt {
  if (turn === undefined) throw new Error("no turn is running");
  return turn.prompt;
}
