import {
  advanceToolCall,
  type ConfirmationAnswer,
  isTerminalStatus,
  type ToolCall,
  type ToolCallStep,
} from "@dt/schema";
import type { JournalRecord } from "../journal-record.js";
import type { Announcement } from "../recorder.js";
import { findOpenCall, isOpen, type OpenCall } from "./open-call.js";

/** A step of a call; `show` changes no status and announces the call to subscribers. */
export type CallStep = (ToolCallStep | ShowStep) & {
  /** One line that says what the call does. */
  readonly description?: string;
};

/** Announces a call, or a new description or input of a call. */
interface ShowStep {
  readonly type: "show";
  readonly inputParameters?: ToolCall["inputParameters"];
}

/** A step, with the id of the call that it applies to. */
export interface CallMove {
  readonly toolCallId: string;
  readonly step: CallStep;
  /** True if the call only reads. Set in the first move of the call. */
  readonly isReadOnly?: boolean;
  /** The answer that led to this step. */
  readonly answer?: ConfirmationAnswer;
}

/** The journal record of a call that has changed. */
export type CallChanged = Extract<JournalRecord, { type: "call-changed" }>;

/** The records and events of some steps. They must be committed together. */
export interface AdvancedCalls {
  readonly journal: readonly CallChanged[];
  readonly events: readonly Announcement[];
  /** True if a call starts. If the start's record were lost, the call would run again after a restart. */
  readonly isCritical: boolean;
}

/**
 * Applies steps to calls of the running turn. Pure. A call that ends before it was announced
 * produces no event. Questions inside a call that ends are cancelled with it.
 */
export function advanceCalls(
  calls: readonly OpenCall[],
  moves: readonly CallMove[],
): AdvancedCalls {
  const changed = new Map<string, CallChanged>();
  const events: Announcement[] = [];
  const announced = new Set(calls.filter(({ isAnnounced }) => isAnnounced).map(idOf));
  const current = (toolCallId: string): ToolCall | undefined =>
    changed.get(toolCallId)?.toolCall ?? findOpenCall({ calls }, toolCallId)?.toolCall;

  function move({ toolCallId, step, isReadOnly, answer }: CallMove): void {
    const before = current(toolCallId);
    if (before === undefined) throw new Error(`there is no tool call ${toolCallId} in this step`);
    const toolCall = applyStep(before, step);
    const hasEnded = isTerminalStatus(toolCall.status);
    if (!hasEnded) announced.add(toolCallId);
    const first = isReadOnly === true ? { isReadOnly } : {};
    changed.set(toolCallId, { type: "call-changed", toolCall, ...first });
    if (announced.has(toolCallId)) events.push(updateOf(toolCall, calls, answer));
    if (!hasEnded) return;
    for (const child of calls) {
      const childId = idOf(child);
      const status = current(childId)?.status;
      if (child.parentCallId !== toolCallId || status === undefined) continue;
      if (!isTerminalStatus(status)) move({ toolCallId: childId, step: { type: "cancel" } });
    }
  }

  for (const each of moves) move(each);
  const journal = [...changed.values()];
  const isCritical = journal.some(({ toolCall }) => toolCall.status === "EXECUTING");
  return { journal, events, isCritical };
}

/**
 * Ends each open call that `stepOf` returns a step for. `stepOf` is not called for nested questions, because
 * they are cancelled with the call that contains them.
 */
export function endCalls(
  calls: readonly OpenCall[],
  stepOf: (call: OpenCall) => ToolCallStep | undefined,
): AdvancedCalls {
  const moves = calls.filter(isOpen).flatMap((call): readonly CallMove[] => {
    const step = call.parentCallId === undefined ? stepOf(call) : undefined;
    return step === undefined ? [] : [{ toolCallId: idOf(call), step }];
  });
  return advanceCalls(calls, moves);
}

/** Builds the event that shows a call in its current state. */
function updateOf(
  toolCall: ToolCall,
  calls: readonly OpenCall[],
  answer: ConfirmationAnswer | undefined,
): Announcement {
  const { parentCallId } = findOpenCall({ calls }, toolCall.toolCallId) ?? {};
  return {
    kind: "TOOL_CALL_UPDATE",
    toolCall,
    ...(answer !== undefined && { answer }),
    ...(parentCallId !== undefined && { parentCallId }),
  };
}

function applyStep(call: ToolCall, { description, ...step }: CallStep): ToolCall {
  const described = description === undefined ? call : { ...call, description };
  if (step.type !== "show") return advanceToolCall(described, step);
  const { inputParameters } = step;
  return inputParameters === undefined ? described : { ...described, inputParameters };
}

function idOf({ toolCall }: OpenCall): string {
  return toolCall.toolCallId;
}
