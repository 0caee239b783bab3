import { toScope } from "../confirmation/scope.js";
import type { HistoryItem } from "../model/history.js";
import { toToolResult } from "../tools/tool-result.js";
import type { JournalRecord } from "./journal-record.js";
import { findOpenCall, isOpen, type OpenCall, toOpenCall } from "./open-call.js";

type RecordOf<TType extends JournalRecord["type"]> = Extract<JournalRecord, { type: TType }>;

/** The calls of a new answer of the model. */
export function requestedCalls({ calls, inputErrors }: RecordOf<"model-answered">): OpenCall[] {
  return calls.map((call) => toOpenCall(call, inputErrors?.[call.toolCallId]));
}

/** Adds a question that was asked inside a running call. It holds up other calls as its parent does. */
export function addNestedCall(
  calls: readonly OpenCall[],
  { toolCall, parentCallId }: RecordOf<"call-nested">,
): readonly OpenCall[] {
  const isReadOnly = findOpenCall({ calls }, parentCallId)?.isReadOnly === true;
  return [...calls, { toolCall, parentCallId, isAnnounced: true, isReadOnly }];
}

/** Moves one call on; every change of a call that stays open has been announced. */
export function changeCall(
  calls: readonly OpenCall[],
  { toolCall, isReadOnly, mark }: RecordOf<"call-changed">,
): readonly OpenCall[] {
  return withCall(calls, toolCall.toolCallId, () => ({
    toolCall,
    isAnnounced: true,
    ...(isReadOnly === true && { isReadOnly }),
    ...(mark !== undefined && { mark }),
  }));
}

/** Notes what a call that asks was going to do. */
export function noteQuestion(
  calls: readonly OpenCall[],
  { toolCallId, actions, scopes, targets }: RecordOf<"asked">,
): readonly OpenCall[] {
  const question = { actions, scopes: scopes.map(toScope), targets };
  return withCall(calls, toolCallId, () => ({ question }));
}

/** Notes the answer to a question. */
export function noteAnswer(
  calls: readonly OpenCall[],
  { answer, approval, reason }: RecordOf<"question-answered">,
): readonly OpenCall[] {
  return withCall(calls, answer.toolCallId, () => ({
    ...(approval !== undefined && { approval }),
    ...(reason !== undefined && { refusalReason: reason }),
  }));
}

/** True when the last call of a step has ended. */
export function isStepOver(calls: readonly OpenCall[]): boolean {
  return !calls.some(isOpen);
}

/** The results of a step as the model sees them: those of the calls that it asked for itself. */
export function toToolItem(calls: readonly OpenCall[]): HistoryItem {
  const own = calls.filter(({ parentCallId }) => parentCallId === undefined);
  return {
    role: "tool",
    results: own.map(({ toolCall, refusalReason }) => toToolResult(toolCall, refusalReason)),
  };
}

function withCall(
  calls: readonly OpenCall[],
  toolCallId: string,
  change: (call: OpenCall) => Partial<OpenCall>,
): readonly OpenCall[] {
  return calls.map((call) =>
    call.toolCall.toolCallId === toolCallId ? { ...call, ...change(call) } : call,
  );
}
