import type { ConfirmationAnswer, Part, Principal, TaskState, ToolCall } from "@dt/schema";
import { isTerminalStatus } from "@dt/schema";
import type { PermissionMode } from "../confirmation/permission-policy.js";
import type { RememberedAnswer } from "../confirmation/remembered-answers.js";
import type { HistoryItem, ModelSaid } from "../model/history.js";
import type { ConfirmationDetails } from "../tools/tool.js";
import { toToolResult } from "../tools/tool-result.js";

/** What someone sends to start a turn. */
export interface Prompt {
  readonly messageId: string;
  /** The task that the turn belongs to. */
  readonly taskId: string;
  readonly parts: readonly Part[];
  /** How freely this turn may act; the session's own mode where it says nothing. */
  readonly mode?: PermissionMode;
}

/** A prompt that was taken, with the number of its turn. */
export interface TakenPrompt extends Prompt {
  readonly turn: number;
  readonly origin: Principal;
}

/** A call that someone let run, and what they saw when they did. */
export interface Approval {
  readonly details: ConfirmationDetails;
}

/** The turn that runs. */
export interface RunningTurn {
  readonly prompt: TakenPrompt;
  /** The calls of the current step, in the order of the model's requests; empty between steps. */
  readonly calls: readonly ToolCall[];
  readonly approvals: Readonly<Record<string, Approval>>;
  /** What an "always" would cover, for each call that asked. */
  readonly scopes: Readonly<Record<string, readonly string[]>>;
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
  /** Who settled which question, for those who answer late. */
  readonly answers: Readonly<Record<string, ConfirmationAnswer>>;
  readonly remembered: readonly RememberedAnswer[];
}

/** What a session writes down: enough to go on in another process. */
export type JournalRecord =
  | { readonly type: "prompted"; readonly prompt: TakenPrompt }
  | { readonly type: "withdrawn"; readonly turn: number }
  | { readonly type: "turn-started"; readonly turn: number }
  | {
      readonly type: "model-answered";
      readonly said: readonly ModelSaid[];
      readonly calls: readonly ToolCall[];
    }
  | { readonly type: "call-changed"; readonly toolCall: ToolCall }
  | { readonly type: "asked"; readonly toolCallId: string; readonly scopes: readonly string[] }
  | {
      readonly type: "question-answered";
      readonly answer: ConfirmationAnswer;
      readonly approval?: Approval;
    }
  | { readonly type: "remembered"; readonly answer: RememberedAnswer }
  | { readonly type: "turn-ended"; readonly state: TaskState };

/** A session in which nothing has happened. */
export const emptySessionState: SessionState = {
  history: [],
  queue: [],
  turns: 0,
  tasks: {},
  answers: {},
  remembered: [],
};

/** Folds one record into the state. Pure; the only place where a session's state changes. */
export function reduceSessionState(state: SessionState, record: JournalRecord): SessionState {
  switch (record.type) {
    case "prompted":
      return { ...state, queue: [...state.queue, record.prompt], turns: record.prompt.turn };
    case "withdrawn":
      return withdraw(state, record.turn);
    case "turn-started":
      return startTurn(state, record.turn);
    case "model-answered":
      return answerModel(state, record);
    case "call-changed":
      return changeCall(state, record.toolCall);
    case "asked":
      return rememberScopes(state, record);
    case "question-answered":
      return answerQuestion(state, record);
    case "remembered":
      return { ...state, remembered: [...state.remembered, record.answer] };
    case "turn-ended":
      return endTurn(state, record.state);
  }
}

function withdraw(state: SessionState, turn: number): SessionState {
  const prompt = state.queue.find((queued) => queued.turn === turn);
  if (prompt === undefined) return state;
  return {
    ...state,
    queue: state.queue.filter((queued) => queued.turn !== turn),
    tasks: { ...state.tasks, [prompt.taskId]: state.tasks[prompt.taskId] ?? "canceled" },
  };
}

function startTurn(state: SessionState, turn: number): SessionState {
  const prompt = state.queue.find((queued) => queued.turn === turn);
  if (prompt === undefined) throw new Error(`turn ${turn} was never prompted`);
  return {
    ...state,
    queue: state.queue.filter((queued) => queued.turn !== turn),
    turn: { prompt, calls: [], approvals: {}, scopes: {} },
    tasks: { ...state.tasks, [prompt.taskId]: "working" },
    history: [...state.history, { role: "user", parts: prompt.parts }],
  };
}

function answerModel(
  state: SessionState,
  { said, calls }: JournalRecord & { type: "model-answered" },
): SessionState {
  const turn = runningTurn(state);
  return {
    ...state,
    turn: { ...turn, calls, approvals: {}, scopes: {} },
    history: said.length === 0 ? state.history : [...state.history, { role: "model", parts: said }],
  };
}

// When the last call of a step has ended, the model's next view of the conversation holds them all.
function changeCall(state: SessionState, toolCall: ToolCall): SessionState {
  const turn = runningTurn(state);
  const calls = turn.calls.map((call) =>
    call.toolCallId === toolCall.toolCallId ? toolCall : call,
  );
  if (!calls.every((call) => isTerminalStatus(call.status))) {
    return { ...state, turn: { ...turn, calls } };
  }
  return {
    ...state,
    turn: { ...turn, calls: [], approvals: {}, scopes: {} },
    history: [...state.history, { role: "tool", results: calls.map(toToolResult) }],
  };
}

function rememberScopes(
  state: SessionState,
  { toolCallId, scopes }: JournalRecord & { type: "asked" },
): SessionState {
  const turn = runningTurn(state);
  return { ...state, turn: { ...turn, scopes: { ...turn.scopes, [toolCallId]: scopes } } };
}

function answerQuestion(
  state: SessionState,
  { answer, approval }: JournalRecord & { type: "question-answered" },
): SessionState {
  const turn = runningTurn(state);
  const approvals =
    approval === undefined ? turn.approvals : { ...turn.approvals, [answer.toolCallId]: approval };
  return {
    ...state,
    turn: { ...turn, approvals },
    answers: { ...state.answers, [answer.toolCallId]: answer },
  };
}

function endTurn(state: SessionState, taskState: TaskState): SessionState {
  const { turn, ...rest } = state;
  if (turn === undefined) return state;
  return { ...rest, tasks: { ...state.tasks, [turn.prompt.taskId]: taskState } };
}

function runningTurn(state: SessionState): RunningTurn {
  if (state.turn === undefined) throw new Error("no turn is running");
  return state.turn;
}
