import { isTerminalState } from "../../event/task-state.js";
import { isWaiting } from "../../tool-call/tool-call-status.js";
import type { A2aState } from "../a2a/a2a.js";
import {
  announce,
  announceCall,
  announceStart,
  endTurn,
  type GeminiDraft,
  hasOpenQuestion,
  storeCall,
} from "./gemini-draft.js";
import type { GeminiCall, GeminiMemory } from "./gemini-memory.js";

/** Content of an update, without its state. */
export interface StateContent {
  readonly isFinal: boolean;
  readonly text: string;
  readonly error: string | undefined;
}

/**
 * Applies a state of the peer to a draft. The peer's state is `input-required` both when the peer
 * asks and when it is idle.
 */
export function readState(draft: GeminiDraft, state: A2aState, content: StateContent): void {
  const { isFinal, text } = content;
  const error = content.error ?? draft.memory.error;
  switch (state) {
    case "working":
      announceRetry(draft);
      if (content.error === undefined) startWorking(draft);
      else draft.memory = { ...draft.memory, error: content.error };
      return;
    case "input-required":
      if (!isFinal) return;
      if (askOpenQuestions(draft)) return;
      endIdleTurn(draft, error ?? text);
      return;
    case "canceled":
      warnOfCommands(draft);
      close(draft);
      endTurn(draft, state);
      return;
    case "completed":
      close(draft);
      endTurn(draft, state);
      return;
    case "failed":
    case "rejected":
    case "auth-required":
      close(draft);
      endTurn(draft, "failed", (error ?? text) || `the agent's task is ${state}`);
      return;
    default:
      return;
  }
}

// Warns about running shell commands. The peer cancels the task, but may leave the processes of the
// shell commands running.
function warnOfCommands(draft: GeminiDraft): void {
  for (const { toolCall } of draft.memory.calls.values()) {
    if (toolCall.status !== "EXECUTING" || toolCall.toolName !== "run_shell_command") continue;
    const content = "gemini-cli's server may leave the canceled command running";
    announce(draft, { kind: "CONSOLE_LOG", log: { type: "warn", content } });
  }
}

function close(draft: GeminiDraft): void {
  draft.memory = { ...draft.memory, isClosed: true };
}

// Ends a turn of an idle peer. A text without a question is the reason why the peer stopped.
function endIdleTurn(draft: GeminiDraft, reason: string): void {
  const lost = hasLostAnswer(draft.memory) ? "the agent no longer knows the question" : undefined;
  const error = reason || lost;
  endTurn(draft, error === undefined ? "completed" : "failed", error);
}

function startWorking(draft: GeminiDraft): void {
  const { state } = draft.memory;
  if (state === "working" || hasOpenQuestion(draft.memory)) return;
  // A new turn starts without the calls of the turn before.
  const calls = isTerminalState(state) ? new Map<string, GeminiCall>() : draft.memory.calls;
  draft.memory = { ...draft.memory, calls, state: "working" };
  announce(draft, { kind: "STATE_CHANGE" });
}

/**
 * Announces the peer's questions when the peer waits or is silent. A question whose answer was
 * refused is open again. Returns false if there is no question.
 */
export function askOpenQuestions(draft: GeminiDraft): boolean {
  const asking = [...draft.memory.calls.values()].filter(
    ({ question, answer }) =>
      question !== undefined && (answer === undefined || answer.isRefused === true),
  );
  if (asking.length === 0) return false;
  announceStart(draft);
  for (const { answer: _, ...call } of asking) {
    const toolCall = { ...call.toolCall, confirmationRequest: call.question };
    if (isWaiting(call.toolCall)) storeCall(draft, call);
    else announceCall(draft, call, toolCall);
  }
  const waiting = [...draft.memory.calls.values()]
    .map(({ toolCall }) => toolCall)
    .filter(isWaiting);
  draft.memory = { ...draft.memory, state: "input-required" };
  announce(draft, { kind: "STATE_CHANGE", waiting });
  return true;
}

// Returns true if a question is still stored although the peer is idle. Its answer then had no effect,
// because another client was first or the peer gave up the question.
function hasLostAnswer({ calls }: GeminiMemory): boolean {
  return [...calls.values()].some(({ question }) => question !== undefined);
}

/**
 * Announces an earlier error as a console line, because an event after an error means that the
 * agent retried.
 */
export function announceRetry(draft: GeminiDraft): void {
  const { error, ...memory } = draft.memory;
  if (error === undefined) return;
  draft.memory = memory;
  announce(draft, { kind: "CONSOLE_LOG", log: { type: "warn", content: error } });
}
