import { toScope } from "../../confirmation/scope.js";
import type { HistoryItem } from "../../model/history.js";
import { toToolResult } from "../../tools/tool-result.js";
import type { JournalRecord } from "../journal-record.js";
import { findOpenCall, isOpen, type OpenCall, toOpenCall } from "./open-call.js";

type RecordOf<TType extends JournalRecord["type"]> = Extract<JournalRecord, { type: TType }>;

/** Returns the calls of the model's new reply. */
export function requestedCalls({ calls, inputErrors }: RecordOf<"model-answered">): OpenCall[] {
  return calls.map((call) => toOpenCall(call, inputErrors?.[call.toolCallId]));
}

/**
 * Adds a question that was asked inside a running call. The question blocks later calls only if the running
 * call also blocks them.
 */
export function addNestedCall(
  calls: readonly OpenCall[],
  { toolCall, parentCallId }: RecordOf<"call-nested">,
): readonly OpenCall[] {
  const { isReadOnly = false, isExternal } = findOpenCall({ calls }, parentCallId) ?? {};
  const nested = { toolCall, parentCallId, isAnnounced: true, isReadOnly };
  return [...calls, isExternal === true ? { ...nested, isExternal } : nested];
}

/** Adds a call of an external agent. It waits for no other call. */
export function addReportedCall(
  calls: readonly OpenCall[],
  { toolCall }: RecordOf<"call-reported">,
): readonly OpenCall[] {
  return [...calls, { toolCall, isAnnounced: false, isReadOnly: true, isExternal: true }];
}

/** Applies a change to one call. Sets `isAnnounced`, because a call that stays open never changes without an event. */
export function changeCall(
  calls: readonly OpenCall[],
  { toolCall, isReadOnly, mark }: RecordOf<"call-changed">,
): readonly OpenCall[] {
  return updateCall(calls, toolCall.toolCallId, () => ({
    toolCall,
    isAnnounced: true,
    ...(isReadOnly === true && { isReadOnly }),
    ...(mark !== undefined && { mark }),
  }));
}

/** Stores the call of another agent that a running call makes. */
export function noteAgentCall(
  calls: readonly OpenCall[],
  { toolCallId, agentCall }: RecordOf<"agent-called">,
): readonly OpenCall[] {
  return updateCall(calls, toolCallId, () => ({ agentCall }));
}

/** Stores the plan of a call that asks. */
export function noteQuestion(
  calls: readonly OpenCall[],
  { toolCallId, actions, scopes, targets }: RecordOf<"asked">,
): readonly OpenCall[] {
  const question = { actions, scopes: scopes.map(toScope), targets };
  return updateCall(calls, toolCallId, () => ({ question }));
}

/** Stores the answer to a call's question. */
export function noteAnswer(
  calls: readonly OpenCall[],
  { answer, approval, reason = answer.reason }: RecordOf<"question-answered">,
): readonly OpenCall[] {
  return updateCall(calls, answer.toolCallId, () => ({
    ...(approval !== undefined && { approval }),
    ...(reason !== undefined && { refusalReason: reason }),
  }));
}

/** Returns true if every call of the step has ended. */
export function isStepOver(calls: readonly OpenCall[]): boolean {
  return !calls.some(isOpen);
}

/**
 * Returns the results of a step for the model. Leaves out nested questions and calls of an external agent,
 * because the model did not request them.
 */
export function toToolItems(calls: readonly OpenCall[]): readonly HistoryItem[] {
  const own = calls.filter(
    ({ parentCallId, isExternal }) => parentCallId === undefined && isExternal !== true,
  );
  const results = own.map(({ toolCall, refusalReason }) => toToolResult(toolCall, refusalReason));
  return own.length === 0 ? [] : [{ role: "tool", results }];
}

function updateCall(
  calls: readonly OpenCall[],
  toolCallId: string,
  change: (call: OpenCall) => Partial<OpenCall>,
): readonly OpenCall[] {
  return calls.map((call) =>
    call.toolCall.toolCallId === toolCallId ? { ...call, ...change(call) } : call,
  );
}
