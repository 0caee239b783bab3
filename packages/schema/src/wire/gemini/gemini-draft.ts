import type { AgentEvent, EventHeader, SessionEvent } from "../../event/agent-event.js";
import { isTerminalState, type TaskState } from "../../event/task-state.js";
import type { ToolCall } from "../../gen/development_tool/tool_call.js";
import { advanceToolCall, type ToolCallStep } from "../../tool-call/advance-tool-call.js";
import { isTerminalStatus, isWaiting } from "../../tool-call/tool-call-status.js";
import type { GeminiCall, GeminiMemory } from "./gemini-memory.js";

/** Header fields that an update of the peer can have. */
export type GeminiHeader = Pick<EventHeader, "model" | "userTier" | "usage" | "traceId">;

/** An unfinished step: the next memory, and the events so far. */
export interface GeminiDraft {
  memory: GeminiMemory;
  header: GeminiHeader;
  readonly events: SessionEvent[];
}

/** Creates a draft from a memory. */
export function createDraft(memory: GeminiMemory, header: GeminiHeader = {}): GeminiDraft {
  return { memory, header, events: [] };
}

/** Adds an event, with the ids, the state and the time of the memory. */
export function announce(draft: GeminiDraft, event: AgentEvent, error?: string): void {
  const { taskId, contextId, state, at } = draft.memory;
  const header = { ...draft.header, taskId, contextId, state, at };
  draft.events.push({ ...event, ...header, ...(error !== undefined && { error }) });
}

/** Returns true if an announced question has no answer yet. */
export function hasOpenQuestion({ calls }: GeminiMemory): boolean {
  return [...calls.values()].some(
    ({ toolCall, answer }) => isWaiting(toolCall) && answer === undefined,
  );
}

/** Returns true if the peer asks something that is not announced yet. */
export function hasUnannouncedGeminiQuestion({ calls }: GeminiMemory): boolean {
  return [...calls.values()].some(
    ({ toolCall, question, answer }) =>
      question !== undefined && answer === undefined && !isWaiting(toolCall),
  );
}

/** Sets the state to `working` after an activity of the agent. Does nothing if a question is open. */
export function markWorking(draft: GeminiDraft): void {
  if (!hasOpenQuestion(draft.memory)) draft.memory = { ...draft.memory, state: "working" };
}

/** Stores a call in the memory. */
export function storeCall(draft: GeminiDraft, call: GeminiCall): void {
  const calls = new Map(draft.memory.calls).set(call.toolCall.toolCallId, call);
  draft.memory = { ...draft.memory, calls };
}

/** Advances a call and announces it. Ignores a step that the status of the call does not allow. */
export function advanceCall(draft: GeminiDraft, toolCallId: string, step: ToolCallStep): void {
  const call = draft.memory.calls.get(toolCallId);
  if (call === undefined || isTerminalStatus(call.toolCall.status)) return;
  const isStart = step.type === "start";
  if (isStart && call.toolCall.status === "EXECUTING") return;
  // The peer may leave out updates of a call, so the call and its start are announced before its end.
  if (!call.isAnnounced) announceCall(draft, call, call.toolCall);
  if (step.type === "succeed") advanceCall(draft, toolCallId, { type: "start" });
  const current = draft.memory.calls.get(toolCallId) ?? call;
  announceCall(draft, withoutQuestion(current), advanceToolCall(current.toolCall, step));
}

/** Stores a call and announces it. If an answer caused the update, the event contains the answer. */
export function announceCall(draft: GeminiDraft, call: GeminiCall, toolCall: ToolCall): void {
  const { answer } = call;
  const announced = answer && { ...answer, isAnnounced: true };
  storeCall(draft, {
    ...call,
    toolCall,
    isAnnounced: true,
    ...(announced && { answer: announced }),
  });
  markWorking(draft);
  announce(draft, {
    kind: "TOOL_CALL_UPDATE",
    toolCall,
    ...(answer?.isAnnounced === false && {
      answer: {
        toolCallId: toolCall.toolCallId,
        selectedOptionId: answer.confirmation.selectedOptionId,
        origin: answer.origin,
      },
    }),
  });
}

/** Marks answers as refused, so that their questions are open again when the peer waits. */
export function refuseAnswers(draft: GeminiDraft, calls: Iterable<GeminiCall>): void {
  for (const call of calls) {
    const { question, answer } = call;
    if (question === undefined || answer === undefined) continue;
    storeCall(draft, { ...call, answer: { ...answer, isRefused: true } });
  }
}

/** Returns a call without its question. */
export function withoutQuestion(call: GeminiCall): GeminiCall {
  const { question: _, ...rest } = call;
  return rest;
}

/** Announces the state `working` before a turn asks or ends, because the peer may omit that state. */
export function announceStart(draft: GeminiDraft): void {
  const { state } = draft.memory;
  if (state !== "submitted" && !isTerminalState(state)) return;
  draft.memory = { ...draft.memory, state: "working" };
  announce(draft, { kind: "STATE_CHANGE" });
}

/**
 * Ends the turn. Open calls are closed first, because no more updates of them will arrive. Does
 * nothing if the turn has ended, because the same end may arrive on a stream and by a request.
 */
export function endTurn(draft: GeminiDraft, state: TaskState, error?: string): void {
  if (isTerminalState(draft.memory.state)) return;
  announceStart(draft);
  for (const { toolCall, isAnnounced } of draft.memory.calls.values()) {
    if (!isAnnounced || isTerminalStatus(toolCall.status)) continue;
    const isBroken = state === "failed" && toolCall.status === "EXECUTING";
    advanceCall(
      draft,
      toolCall.toolCallId,
      isBroken
        ? { type: "fail", error: { message: error ?? "interrupted", type: "interrupted" } }
        : { type: "cancel" },
    );
  }
  const { error: _, ...memory } = draft.memory;
  const calls = new Map([...memory.calls].filter(([, { isAnnounced }]) => isAnnounced));
  draft.memory = { ...memory, calls, state };
  announce(draft, { kind: "STATE_CHANGE" }, error);
}
