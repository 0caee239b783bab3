import type { TaskState, Usage } from "@dt/schema";
import { type RememberedAnswer, toNumberedAnswer } from "../confirmation/remembered-answers.js";
import type { AgentCallRecord } from "../tools/agent-calls.js";
import { findOpenCall, INTERRUPTED, type OpenCall, toOpenCall } from "./calls/open-call.js";
import {
  addNestedCall,
  addReportedCall,
  changeCall,
  isStepOver,
  noteAgentCall,
  noteAnswer,
  noteQuestion,
  requestedCalls,
  toToolItems,
} from "./calls/reduce-calls.js";
import type { JournalRecord } from "./journal-record.js";
import {
  type AcceptedPrompt,
  type ExternalAgentState,
  queueAfterTurn,
  type RunningTurn,
  type SessionState,
} from "./session-state.js";
import { titleOf } from "./session-title.js";

/** Applies one record to the state. Pure; a session's state changes nowhere else. */
export function reduceSessionState(state: SessionState, record: JournalRecord): SessionState {
  switch (record.type) {
    case "prompted":
      return applyPrompt(state, record.prompt);
    case "withdrawn":
      return applyWithdrawal(state, record);
    case "turn-started":
      return applyTurnStart(state, record.turn);
    case "retried":
      return applyRetry(state, record.turn);
    case "steered":
      return {
        ...updateTurn(state, (turn) => ({ steering: [...turn.steering, record.prompt] })),
        turns: record.prompt.turn,
      };
    case "steering-delivered":
      return applySteering(state);
    case "model-answered":
      return applyModelReply(state, record);
    case "calls-requested":
      return updateTurn(state, () => ({
        calls: record.calls.map((call) => toOpenCall(call)),
        isRound: true,
      }));
    case "steering-withdrawn":
      return updateTurn(state, ({ steering }) => ({
        steering: steering.filter(({ messageId }) => messageId !== record.messageId),
      }));
    case "call-changed":
      return applyCallChange(state, record);
    case "agent-called":
      return updateTurn(state, ({ calls }) => ({ calls: noteAgentCall(calls, record) }));
    case "call-reported":
      return updateTurn(state, ({ calls }) => ({ calls: addReportedCall(calls, record) }));
    case "external-started":
      return { ...state, external: startExternal(state, record) };
    case "external-opened": {
      const { agent, sessionId } = record;
      const { reportedNanos: _, ...external } = state.external ?? {};
      return { ...state, external: { ...external, agent, sessionId } };
    }
    case "external-replied":
      return applyExternalReply(state, record);
    case "call-nested":
      return updateTurn(state, ({ calls }) => ({ calls: addNestedCall(calls, record) }));
    case "asked":
      return updateTurn(state, ({ calls }) => ({ calls: noteQuestion(calls, record) }));
    case "question-answered":
      return applyAnswer(state, record);
    case "remembered":
      return rememberAnswer(state, record.answer);
    case "forgotten":
      return {
        ...state,
        remembered: state.remembered.filter(({ number }) => !record.numbers.includes(number)),
      };
    case "compacted":
      return { ...state, history: record.history, contextTokens: 0 };
    case "cleared":
      return {
        ...withoutExternalSession(withoutFailed(state)),
        history: [],
        contextTokens: 0,
        isBrokenOff: false,
        interruptedAgentCalls: [],
        todos: [],
      };
    case "todos-written":
      return { ...state, todos: record.todos };
    case "warned":
      return { ...state, warned: [...state.warned, ...record.messages].slice(-MAX_REMEMBERED) };
    case "command-prompted":
      return {
        ...updateTurn(state, () => ({ isModelAsked: true })),
        history: [...state.history, { role: "user", parts: record.parts }],
      };
    case "command-ran":
      return {
        ...state,
        turns: record.turn,
        tasks: remember(state.tasks, record.taskId, record.state),
      };
    case "mode-set":
      return state;
    case "model-set":
      return { ...state, modelName: record.name };
    case "retry-taken":
      return updateTurn(dropBrokenOff(state), () => ({ isModelAsked: true }));
    case "turn-ended":
      return applyTurnEnd(state, record.state);
    case "task-created":
      return { ...state, tasks: remember(state.tasks, record.taskId, "input-required") };
    case "task-mode-set": {
      const { type: _, taskId, ...mode } = record;
      return { ...state, taskModes: remember(state.taskModes, taskId, mode) };
    }
    case "task-opened":
      return {
        ...state,
        openTaskId: record.taskId,
        tasks: remember(state.tasks, record.taskId, "input-required"),
      };
    case "task-closed":
      return applyTaskClose(state);
  }
}

function applyPrompt(state: SessionState, prompt: AcceptedPrompt): SessionState {
  return { ...state, queue: [...state.queue, prompt], turns: prompt.turn };
}

/**
 * Maximum number of tasks in the state, and also of task modes, of accepted answers and of warnings. The
 * limit keeps the cost of a turn constant. The list `remembered` has no limit.
 */
const MAX_REMEMBERED = 256;

/** Sets a key and makes it the newest. Drops the oldest key if there would be too many. */
function remember<TValue>(
  values: Readonly<Record<string, TValue>>,
  key: string,
  value: TValue,
): Readonly<Record<string, TValue>> {
  const { [key]: _, ...others } = values;
  const keys = Object.keys(others);
  const [oldest] = keys;
  if (oldest === undefined || keys.length < MAX_REMEMBERED) return { ...others, [key]: value };
  const { [oldest]: __, ...newer } = others;
  return { ...(newer as Readonly<Record<string, TValue>>), [key]: value };
}

function rememberAnswer(state: SessionState, given: RememberedAnswer): SessionState {
  const answersGiven = state.answersGiven + 1;
  const answer = toNumberedAnswer(given, answersGiven);
  return { ...state, answersGiven, remembered: [...state.remembered, answer] };
}

/** Notes the start of an external agent. Keeps the stored agent session only if it belongs to the same agent. */
function startExternal(
  { external }: SessionState,
  { agent, mark }: JournalRecord & { type: "external-started" },
): ExternalAgentState {
  const { sessionId, reportedNanos } = external?.agent === agent ? external : {};
  return {
    agent,
    mark,
    ...(sessionId !== undefined && { sessionId }),
    ...(reportedNanos !== undefined && { reportedNanos }),
  };
}

function withoutExternalSession(state: SessionState): SessionState {
  if (state.external === undefined) return state;
  const { sessionId: _, ...external } = state.external;
  return { ...state, external };
}

function withoutFailed(state: SessionState): SessionState {
  const { failed: _, ...rest } = state;
  return rest;
}

function applyWithdrawal(
  state: SessionState,
  { turn, taskState }: JournalRecord & { type: "withdrawn" },
): SessionState {
  const prompt = state.queue.find((queued) => queued.turn === turn);
  if (prompt === undefined) return state;
  const queue = state.queue.filter((queued) => queued.turn !== turn);
  if (taskState === undefined) return { ...state, queue };
  const { taskId } = prompt;
  return {
    ...state,
    queue,
    tasks: remember(state.tasks, taskId, taskState),
    unsettled: withoutKey(state.unsettled, taskId),
  };
}

function withoutKey<TValue>(
  values: Readonly<Record<string, TValue>>,
  key: string,
): Readonly<Record<string, TValue>> {
  const { [key]: _, ...others } = values;
  return others;
}

function applyTurnStart(state: SessionState, turn: number): SessionState {
  const prompt = state.queue.find((queued) => queued.turn === turn);
  if (prompt === undefined) throw new Error(`turn ${turn} was never prompted`);
  const { taskId, taskMode, origin, credential } = prompt;
  const started: SessionState = {
    ...state,
    queue: state.queue.filter((queued) => queued.turn !== turn),
    turn: newTurn(prompt),
    tasks: remember(state.tasks, taskId, "working"),
    unsettled: withoutKey(state.unsettled, taskId),
    ...(taskMode !== undefined && {
      taskModes: remember(state.taskModes, taskId, {
        principal: origin.principal,
        ...(credential !== undefined && { credential }),
        mode: taskMode,
      }),
    }),
  };
  // A command is not part of the conversation, so it does not prevent the retry of an earlier failed turn.
  if (prompt.command !== undefined) return started;
  const title = state.title ?? titleOf(prompt.parts);
  return {
    ...withoutFailed(started),
    ...(title !== undefined && { title }),
    history: [...state.history, { role: "user", parts: prompt.parts }],
    interruptedAgentCalls: [],
    isBrokenOff: false,
  };
}

// Starts a turn that continues the failed turn after its last finished step. A reply that broke off is
// dropped, so that the model is asked again.
function applyRetry(state: SessionState, turn: number): SessionState {
  const { failed } = state;
  if (failed === undefined) throw new Error("no turn has failed");
  return {
    ...dropBrokenOff(state),
    turns: turn,
    turn: newTurn(withoutCommand({ ...failed, turn })),
    tasks: remember(state.tasks, failed.taskId, "working"),
  };
}

// Removes the command from a prompt, because a retry repeats only the command's prompt to the model, not the
// command.
function withoutCommand({ command: _, ...prompt }: AcceptedPrompt): AcceptedPrompt {
  return prompt;
}

function dropBrokenOff(state: SessionState): SessionState {
  const history = state.isBrokenOff ? state.history.slice(0, -1) : state.history;
  return { ...withoutFailed(state), history, isBrokenOff: false };
}

function newTurn(prompt: AcceptedPrompt): RunningTurn {
  return {
    prompt,
    ...EMPTY_STEP,
    denied: [],
    rounds: [],
    steering: [],
    steps: 0,
    isModelAsked: prompt.command === undefined,
  };
}

const EMPTY_STEP = { calls: [], isRound: false } as const;

function applySteering(state: SessionState): SessionState {
  const turn = getRunningTurn(state);
  const steered = turn.steering.map(({ parts }) => ({ role: "user" as const, parts }));
  return { ...state, turn: { ...turn, steering: [] }, history: [...state.history, ...steered] };
}

function applyModelReply(
  state: SessionState,
  record: JournalRecord & { type: "model-answered" },
): SessionState {
  const { said, usage, costNanos, isBrokenOff = false } = record;
  const turn = getRunningTurn(state);
  const hasParts = said.length > 0;
  return {
    ...state,
    turn: {
      ...turn,
      calls: requestedCalls(record),
      isRound: false,
      steps: turn.steps + 1,
      ...(usage !== undefined && { usage: addUsage(turn.usage, usage) }),
      ...addCost(turn, costNanos),
    },
    history: hasParts ? [...state.history, { role: "model", parts: said }] : state.history,
    isBrokenOff: isBrokenOff && hasParts,
    totals: {
      steps: state.totals.steps + 1,
      usage: usage === undefined ? state.totals.usage : addUsage(state.totals.usage, usage),
      ...addCost(state.totals, costNanos),
    },
    contextTokens:
      usage === undefined ? state.contextTokens : usage.inputTokens + usage.outputTokens,
  };
}

function applyExternalReply(
  state: SessionState,
  { text, usage, costNanos, reportedNanos }: JournalRecord & { type: "external-replied" },
): SessionState {
  const turn = getRunningTurn(state);
  const said =
    text === "" ? [] : [{ role: "model" as const, parts: [{ type: "text" as const, text }] }];
  return {
    ...state,
    turn: {
      ...turn,
      steps: turn.steps + 1,
      ...(usage !== undefined && { usage: addUsage(turn.usage, usage) }),
      ...addCost(turn, costNanos),
    },
    history: [...state.history, ...said],
    totals: {
      ...state.totals,
      steps: state.totals.steps + 1,
      usage: usage === undefined ? state.totals.usage : addUsage(state.totals.usage, usage),
      ...addCost(state.totals, costNanos),
    },
    ...(state.external !== undefined &&
      reportedNanos !== undefined && { external: { ...state.external, reportedNanos } }),
  };
}

function addUsage(sum: Usage | undefined, usage: Usage): Usage {
  if (sum === undefined) return usage;
  return {
    inputTokens: addTokens(sum.inputTokens, usage.inputTokens),
    outputTokens: addTokens(sum.outputTokens, usage.outputTokens),
    thoughtTokens: addTokens(sum.thoughtTokens, usage.thoughtTokens),
    cachedTokens: addTokens(sum.cachedTokens, usage.cachedTokens),
  };
}

// Adds token counts, up to the largest int32. On the wire, a larger number would be refused.
function addTokens(sum: number, tokens: number): number {
  return Math.min(sum + tokens, 2 ** 31 - 1);
}

function addCost(
  sum: { readonly costNanos?: number },
  costNanos: number | undefined,
): { readonly costNanos?: number } {
  const total = costNanos === undefined ? sum.costNanos : (sum.costNanos ?? 0) + costNanos;
  return total === undefined ? {} : { costNanos: total };
}

function applyCallChange(
  state: SessionState,
  record: JournalRecord & { type: "call-changed" },
): SessionState {
  const before = findOpenCall(state.turn, record.toolCall.toolCallId);
  const changed = updateTurn(state, ({ calls }) => ({ calls: changeCall(calls, record) }));
  return settleStep(noteInterruptedAgentCall(changed, record, before?.agentCall));
}

/** Keeps the call of another agent that a restart interrupted, so that a retry joins it. */
function noteInterruptedAgentCall(
  state: SessionState,
  { toolCall: { result } }: JournalRecord & { type: "call-changed" },
  agentCall: AgentCallRecord | undefined,
): SessionState {
  if (agentCall === undefined || result === undefined) return state;
  const { interruptedAgentCalls: earlier } = state;
  const others = earlier.filter(({ messageId }) => messageId !== agentCall.messageId);
  const isInterrupted = result.$case === "error" && result.value.type === INTERRUPTED;
  const kept = isInterrupted ? [...others, agentCall].slice(-MAX_REMEMBERED) : others;
  return { ...state, interruptedAgentCalls: kept };
}

// When the last call of a step has ended, adds all results to the conversation. The calls of a round are
// added to `rounds` instead.
function settleStep(state: SessionState): SessionState {
  const turn = getRunningTurn(state);
  if (!isStepOver(turn.calls)) return state;
  if (!turn.isRound) {
    const history = [...state.history, ...toToolItems(turn.calls)];
    return { ...state, history, turn: { ...turn, ...EMPTY_STEP } };
  }
  const ended = turn.calls.filter(isOwnCall).map(({ toolCall }) => toolCall);
  return { ...state, turn: { ...turn, ...EMPTY_STEP, rounds: [...turn.rounds, ended] } };
}

function isOwnCall({ parentCallId }: OpenCall): boolean {
  return parentCallId === undefined;
}

function applyAnswer(
  state: SessionState,
  record: JournalRecord & { type: "question-answered" },
): SessionState {
  const turn = getRunningTurn(state);
  const { answer, approval } = record;
  const { toolCallId } = answer;
  const targets = findOpenCall(turn, toolCallId)?.question?.targets ?? [];
  return {
    ...state,
    turn: {
      ...turn,
      calls: noteAnswer(turn.calls, record),
      denied: approval === undefined ? [...turn.denied, ...targets] : turn.denied,
    },
    answers: remember(state.answers, toolCallId, answer),
  };
}

function applyTurnEnd(state: SessionState, taskState: TaskState): SessionState {
  const { turn, ...rest } = state;
  if (turn === undefined) return state;
  const { taskId } = turn.prompt;
  const isOpen = taskId === state.openTaskId;
  const queue = queueAfterTurn(state, taskState);
  const isContinued = !isOpen && queue.some((prompt) => prompt.taskId === taskId);
  const nextState = isContinued ? "working" : taskState;
  return {
    ...rest,
    queue,
    tasks: remember(state.tasks, taskId, isOpen ? "input-required" : nextState),
    ...(isContinued && { unsettled: { ...state.unsettled, [taskId]: taskState } }),
    // A command that failed before its prompt reached the model leaves nothing to retry.
    ...(taskState === "failed" && turn.isModelAsked && { failed: turn.prompt }),
  };
}

function applyTaskClose({ openTaskId, ...rest }: SessionState): SessionState {
  if (openTaskId === undefined) return rest;
  return { ...rest, tasks: remember(rest.tasks, openTaskId, "completed") };
}

function updateTurn(
  state: SessionState,
  change: (turn: RunningTurn) => Partial<RunningTurn>,
): SessionState {
  const turn = getRunningTurn(state);
  return { ...state, turn: { ...turn, ...change(turn) } };
}

function getRunningTurn(state: SessionState): RunningTurn {
  if (state.turn === undefined) throw new Error("no turn is running");
  return state.turn;
}
