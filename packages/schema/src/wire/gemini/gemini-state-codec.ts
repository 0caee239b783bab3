import { isTerminalState } from "../../event/task-state.js";
import { isWaiting } from "../../tool-call/tool-call-status.js";
import type { A2aState } from "../a2a/a2a.js";
import {
  endTurn,
  type GeminiDraft,
  hasOpenQuestion,
  keepCall,
  tell,
  tellCall,
  tellStart,
} from "./gemini-draft.js";
import type { GeminiCall, GeminiMemory } from "./gemini-memory.js";

/** What the state of an update comes with. */
export interface StateContent {
  readonly isFinal: boolean;
  readonly text: string;
  readonly error: string | undefined;
}

/** Takes in a state. The peer rests in `input-required` whether it asks or has finished. */
export function readState(draft: GeminiDraft, state: A2aState, content: StateContent): void {
  const { isFinal, text } = content;
  const error = content.error ?? draft.memory.error;
  switch (state) {
    case "working":
      tellRetry(draft);
      if (content.error === undefined) startWorking(draft);
      else draft.memory = { ...draft.memory, error: content.error };
      return;
    case "input-required":
      if (!isFinal) return;
      if (askOpenQuestions(draft)) return;
      endAtRest(draft, error ?? text);
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

// The peer cancels the task and forgets the process.
function warnOfCommands(draft: GeminiDraft): void {
  for (const { toolCall } of draft.memory.calls.values()) {
    if (toolCall.status !== "EXECUTING" || toolCall.toolName !== "run_shell_command") continue;
    const content = "gemini-cli's server may leave the canceled command running";
    tell(draft, { kind: "CONSOLE_LOG", log: { type: "warn", content } });
  }
}

function close(draft: GeminiDraft): void {
  draft.memory = { ...draft.memory, isClosed: true };
}

// With nothing to ask, a text is the reason for having stopped.
function endAtRest(draft: GeminiDraft, reason: string): void {
  const lost = hasLostAnswer(draft.memory) ? "the agent no longer knows the question" : undefined;
  const error = reason || lost;
  endTurn(draft, error === undefined ? "completed" : "failed", error);
}

function startWorking(draft: GeminiDraft): void {
  const { state } = draft.memory;
  if (state === "working" || hasOpenQuestion(draft.memory)) return;
  // A new turn: the calls of the one before will not be heard of again.
  const calls = isTerminalState(state) ? new Map<string, GeminiCall>() : draft.memory.calls;
  draft.memory = { ...draft.memory, calls, state: "working" };
  tell(draft, { kind: "STATE_CHANGE" });
}

/**
 * Asks what the peer waits for, now that it rests or says no more. A question whose answer the peer did
 * not take is open again. False where nothing is asked.
 */
export function askOpenQuestions(draft: GeminiDraft): boolean {
  const asking = [...draft.memory.calls.values()].filter(
    ({ question, answer }) =>
      question !== undefined && (answer === undefined || answer.isRefused === true),
  );
  if (asking.length === 0) return false;
  tellStart(draft);
  for (const { answer: _, ...call } of asking) {
    const toolCall = { ...call.toolCall, confirmationRequest: call.question };
    if (isWaiting(call.toolCall)) keepCall(draft, call);
    else tellCall(draft, call, toolCall);
  }
  const waiting = [...draft.memory.calls.values()]
    .map(({ toolCall }) => toolCall)
    .filter(isWaiting);
  draft.memory = { ...draft.memory, state: "input-required" };
  tell(draft, { kind: "STATE_CHANGE", waiting });
  return true;
}

// An answer that led to nothing: someone else was first, or the peer gave up long ago.
function hasLostAnswer({ calls }: GeminiMemory): boolean {
  return [...calls.values()].some(({ question }) => question !== undefined);
}

/** Something followed an error, so the agent went on: what was wrong is a line for whoever watches. */
export function tellRetry(draft: GeminiDraft): void {
  const { error, ...memory } = draft.memory;
  if (error === undefined) return;
  draft.memory = memory;
  tell(draft, { kind: "CONSOLE_LOG", log: { type: "warn", content: error } });
}
