import type { AgentEvent, EventHeader, SessionEvent } from "../../event/agent-event.js";
import { isTerminalState, type TaskState } from "../../event/task-state.js";
import type { ToolCall } from "../../gen/development_tool/tool_call.js";
import { advanceToolCall, type ToolCallStep } from "../../tool-call/advance-tool-call.js";
import { isTerminalStatus, isWaiting } from "../../tool-call/tool-call-status.js";
import type { GeminiCall, GeminiMemory } from "./gemini-memory.js";

/** What an update may say of the header of its events. */
export type GeminiHeader = Pick<EventHeader, "model" | "userTier" | "usage" | "traceId">;

/** One step in the making: the memory as it will be, and what is told. */
export interface GeminiDraft {
  memory: GeminiMemory;
  header: GeminiHeader;
  readonly events: SessionEvent[];
}

/** A draft that starts from a memory. */
export function createDraft(memory: GeminiMemory, header: GeminiHeader = {}): GeminiDraft {
  return { memory, header, events: [] };
}

/** Tells something, in the state that the memory holds. */
export function tell(draft: GeminiDraft, event: AgentEvent, error?: string): void {
  const { taskId, contextId, state, at } = draft.memory;
  const header = { ...draft.header, taskId, contextId, state, at };
  draft.events.push({ ...event, ...header, ...(error !== undefined && { error }) });
}

/** Whether a question that observers know of has no answer yet. */
export function hasOpenQuestion({ calls }: GeminiMemory): boolean {
  return [...calls.values()].some(
    ({ toolCall, answer }) => isWaiting(toolCall) && answer === undefined,
  );
}

/** Whether the peer asks something that observers have not been told of yet. */
export function hasUntoldGeminiQuestion({ calls }: GeminiMemory): boolean {
  return [...calls.values()].some(
    ({ toolCall, question, answer }) =>
      question !== undefined && answer === undefined && !isWaiting(toolCall),
  );
}

/** The agent does something, so it works: unless a question is still open. */
export function moveOn(draft: GeminiDraft): void {
  if (!hasOpenQuestion(draft.memory)) draft.memory = { ...draft.memory, state: "working" };
}

/** Remembers a call. */
export function keepCall(draft: GeminiDraft, call: GeminiCall): void {
  const calls = new Map(draft.memory.calls).set(call.toolCall.toolCallId, call);
  draft.memory = { ...draft.memory, calls };
}

/** Takes a step that the life of a call allows, and tells of it; any other is passed over. */
export function stepCall(draft: GeminiDraft, toolCallId: string, step: ToolCallStep): void {
  const call = draft.memory.calls.get(toolCallId);
  if (call === undefined || isTerminalStatus(call.toolCall.status)) return;
  const isStart = step.type === "start";
  if (isStart && call.toolCall.status === "EXECUTING") return;
  // Whatever order the peer sends: nobody sees the end of a call that was not seen to begin.
  if (!call.isTold) tellCall(draft, call, call.toolCall);
  if (step.type === "succeed") stepCall(draft, toolCallId, { type: "start" });
  const current = draft.memory.calls.get(toolCallId) ?? call;
  tellCall(draft, withoutQuestion(current), advanceToolCall(current.toolCall, step));
}

/** Remembers a call as it is now and tells of it, with the answer that brought it here. */
export function tellCall(draft: GeminiDraft, call: GeminiCall, toolCall: ToolCall): void {
  const { answer } = call;
  const told = answer && { ...answer, isTold: true };
  keepCall(draft, { ...call, toolCall, isTold: true, ...(told && { answer: told }) });
  moveOn(draft);
  tell(draft, {
    kind: "TOOL_CALL_UPDATE",
    toolCall,
    ...(answer?.isTold === false && {
      answer: {
        toolCallId: toolCall.toolCallId,
        selectedOptionId: answer.confirmation.selectedOptionId,
        origin: answer.origin,
      },
    }),
  });
}

/** Marks answers as not taken: their questions are open again when the peer rests. */
export function refuseAnswers(draft: GeminiDraft, calls: Iterable<GeminiCall>): void {
  for (const call of calls) {
    const { question, answer } = call;
    if (question === undefined || answer === undefined) continue;
    keepCall(draft, { ...call, answer: { ...answer, isRefused: true } });
  }
}

/** A call that no longer asks. */
export function withoutQuestion(call: GeminiCall): GeminiCall {
  const { question: _, ...rest } = call;
  return rest;
}

/** A task works before it rests, even where the peer does not say so. */
export function tellStart(draft: GeminiDraft): void {
  const { state } = draft.memory;
  if (state !== "submitted" && !isTerminalState(state)) return;
  draft.memory = { ...draft.memory, state: "working" };
  tell(draft, { kind: "STATE_CHANGE" });
}

/**
 * Ends the turn, once: what is open is closed first, since nothing more will be heard of it. The same
 * end may be heard of twice, on a stream and by asking.
 */
export function endTurn(draft: GeminiDraft, state: TaskState, error?: string): void {
  if (isTerminalState(draft.memory.state)) return;
  tellStart(draft);
  for (const { toolCall, isTold } of draft.memory.calls.values()) {
    if (!isTold || isTerminalStatus(toolCall.status)) continue;
    const isBroken = state === "failed" && toolCall.status === "EXECUTING";
    stepCall(
      draft,
      toolCall.toolCallId,
      isBroken
        ? { type: "fail", error: { message: error ?? "interrupted", type: "interrupted" } }
        : { type: "cancel" },
    );
  }
  const { error: _, ...memory } = draft.memory;
  const calls = new Map([...memory.calls].filter(([, { isTold }]) => isTold));
  draft.memory = { ...memory, calls, state };
  tell(draft, { kind: "STATE_CHANGE" }, error);
}
