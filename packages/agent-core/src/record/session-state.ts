import type {
  ConfirmationAnswer,
  Origin,
  PermissionMode,
  PromptContent,
  TaskState,
  Todo,
  ToolCall,
  Usage,
} from "@dt/schema";
import type { NumberedAnswer } from "../confirmation/remembered-answers.js";
import type { HistoryItem } from "../model/history.js";
import type { AgentCallRecord } from "../tools/agent-calls.js";
import type { ProcessMark } from "../workspace/processes/process-mark.js";
import type { OpenCall } from "./calls/open-call.js";

/** A prompt to the model, or a slash command that runs as a turn. */
export interface Prompt extends PromptContent {
  /** Set if the prompt is a slash command. */
  readonly command?: { readonly path: readonly string[]; readonly args: string };
}

/** An accepted prompt, with the number of its turn. */
export interface AcceptedPrompt extends Prompt {
  readonly turn: number;
  readonly origin: Origin;
  /** Credential of the sender, which subscribers never see. Undefined if the sender is anonymous. */
  readonly credential?: string;
  /** Tier of the sender. The events of the turn contain it. */
  readonly tier?: string;
}

/** The turn that is running. */
export interface RunningTurn {
  readonly prompt: AcceptedPrompt;
  /** The calls of the current step, in the order of the model's requests; empty between steps. */
  readonly calls: readonly OpenCall[];
  /** Targets of refused calls; no other call may touch them before the next turn. */
  readonly denied: readonly string[];
  /** True if a command or a prelude requested the current calls, not the model. */
  readonly isRound: boolean;
  /** Ended calls that the model did not request, one list per round. */
  readonly rounds: readonly (readonly ToolCall[])[];
  /** Prompts that join this turn at its next step. */
  readonly steering: readonly AcceptedPrompt[];
  /** True for a prompt to the model. For a command, true once the command has prompted the model. */
  readonly isModelAsked: boolean;
  /** Number of replies that the model has given. */
  readonly steps: number;
  /** Tokens that the model has used. */
  readonly usage?: Usage;
  /** Cost in billionths of a dollar; undefined if no price was known. */
  readonly costNanos?: number;
}

/** The state of a session: plain data, folded from its journal. */
export interface SessionState {
  readonly history: readonly HistoryItem[];
  readonly queue: readonly AcceptedPrompt[];
  readonly turn?: RunningTurn;
  /** Number of the last accepted prompt. Waiting prompts, steering and concurrent commands count too. */
  readonly turns: number;
  /** The last state of each recent task. */
  readonly tasks: Readonly<Record<string, TaskState>>;
  /**
   * State in which the last turn of a task ended, for each task that continues because another prompt waits.
   */
  readonly unsettled: Readonly<Record<string, TaskState>>;
  /** The task that stays open; its turns end in `input-required`. */
  readonly openTaskId?: string;
  /** The accepted answers to recent questions, for clients that answer too late. */
  readonly answers: Readonly<Record<string, ConfirmationAnswer>>;
  readonly remembered: readonly NumberedAnswer[];
  /** Number of answers ever remembered, including forgotten ones. */
  readonly answersGiven: number;
  /** The modes that tasks were started with. Each applies to the prompts of one credential. */
  readonly taskModes: Readonly<Record<string, TaskMode>>;
  /** The model that someone chose for the session. */
  readonly modelName?: string;
  /** Prompt of the last failed turn, for a retry. A later prompt removes it; a later command does not. */
  readonly failed?: AcceptedPrompt;
  /** Calls of other agents that a restart interrupted, for a retry of their turn. A later prompt removes them. */
  readonly interruptedAgentCalls: readonly AgentCallRecord[];
  /** True if the last item of the history is a reply that broke off. */
  readonly isBrokenOff: boolean;
  /** Number of tokens of the model's last request and reply. */
  readonly contextTokens: number;
  /** Totals of all turns. */
  readonly totals: SessionTotals;
  /** Title of the session, from its first prompt. */
  readonly title?: string;
  /** The todo list that the model has written; empty if there is none. */
  readonly todos: readonly Todo[];
  /** Warnings that were announced. */
  readonly warned: readonly string[];
  readonly external?: ExternalAgentState;
}

/** The external agent that ran the last turn. */
export interface ExternalAgentState {
  readonly agent: string;
  /** Mark of the agent's last process, which may still run if dt was killed. */
  readonly mark?: ProcessMark;
  /** Id of the agent's own session; undefined before it opens one, and after the conversation was cleared. */
  readonly sessionId?: string;
  /** Cost of the agent's own session so far, as the agent reports it, in billionths of a dollar. */
  readonly reportedNanos?: number;
}

/** Steps, tokens and cost of all turns of a session. */
export interface SessionTotals {
  /** Number of replies of the model. */
  readonly steps: number;
  readonly usage: Usage;
  /** Cost in billionths of a dollar; undefined if no price was known. */
  readonly costNanos?: number;
}

/** A mode for the prompts of one credential in one task. */
export interface TaskMode {
  readonly principal: string;
  /** Undefined for anonymous requests of the user, which share one mode. */
  readonly credential?: string;
  readonly mode: PermissionMode;
}

/** The state of a new session. */
export const EMPTY_SESSION_STATE: SessionState = {
  history: [],
  queue: [],
  turns: 0,
  tasks: {},
  unsettled: {},
  answers: {},
  remembered: [],
  answersGiven: 0,
  taskModes: {},
  interruptedAgentCalls: [],
  isBrokenOff: false,
  contextTokens: 0,
  totals: {
    steps: 0,
    usage: { inputTokens: 0, outputTokens: 0, thoughtTokens: 0, cachedTokens: 0 },
  },
  todos: [],
  warned: [],
};

/**
 * Returns the prompts that wait after the running turn has ended. Prompts that arrived too late to steer
 * the turn come first. If the turn was cancelled, these late prompts are dropped.
 */
export function queueAfterTurn(
  { turn, queue }: SessionState,
  ended: TaskState,
): readonly AcceptedPrompt[] {
  return ended === "canceled" ? queue : [...(turn?.steering ?? []), ...queue];
}

/** Returns the prompt of the running turn; throws if no turn runs. */
export function getRunningPrompt({
  turn,
}: {
  readonly turn?: RunningTurn | undefined;
}): AcceptedPrompt {
  if (turn === undefined) throw new Error("no turn is running");
  return turn.prompt;
}
