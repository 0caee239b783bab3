import {
  type AnswerRequest,
  type AnswerVerdict,
  type Caller,
  type ConfirmationAnswer,
  failAt,
  isGrant,
  OPTION_IDS,
  type QuestionAnswer,
  type ToolCall,
  type ToolCallStep,
  toOrigin,
} from "@dt/schema";
import { findOpenCall, isAsking, isOpen, type OpenCall } from "../record/calls/open-call.js";
import type { JournalRecord } from "../record/journal-record.js";
import type { Recorder } from "../record/recorder.js";
import type { RunningTurn } from "../record/session-state.js";
import type { TurnEngine } from "../turn/turn-engine.js";
import type { SessionParts } from "./session-parts.js";

/** An answer, its sender, and the session that asked. */
export interface AnswerQuestionOptions {
  readonly confirmation: QuestionAnswer;
  readonly caller: Caller;
  readonly request: Pick<AnswerRequest, "messageId" | "digest">;
  readonly parts: Pick<SessionParts, "recorder" | "engine" | "answers" | "traces">;
}

/**
 * Settles a question. Only the first answer is accepted, because the state changes before the first await.
 * The answer and its consequences are one commit.
 */
export async function answerQuestion(options: AnswerQuestionOptions): Promise<AnswerVerdict> {
  const { confirmation, caller, request, parts } = options;
  const { recorder } = parts;
  const { toolCallId, selectedOptionId } = confirmation;
  const { turn } = recorder.state;
  const call = findOpenCall(turn, toolCallId);
  if (turn === undefined || call === undefined || !isAsking(call)) {
    return await lateVerdict(toolCallId, recorder);
  }

  checkOption(call.toolCall, selectedOptionId);
  const step = nextStep(call, turn, options);
  const origin = toOrigin(caller);
  const reason = isGrant(selectedOptionId) ? undefined : confirmation.reason || undefined;
  const answer: ConfirmationAnswer = {
    toolCallId,
    selectedOptionId,
    origin,
    ...(reason !== undefined && { reason }),
  };
  const { turn: number, taskId } = turn.prompt;
  const { messageId, digest } = request;
  const approval = approvalOf(call.toolCall, selectedOptionId);
  const afterPosition = await recorder.advance(
    { toolCallId, step, answer },
    {
      journal: [
        { type: "question-answered", answer, ...approval },
        ...rememberedRecords(answer, call, turn),
      ],
      isCritical: true,
      ...(messageId !== undefined && {
        receipt: {
          user: caller.user,
          messageId,
          taskId,
          turn: number,
          ...(digest !== undefined && { digest }),
        },
      }),
    },
  );
  // `settle` lets the tool start. If the tool started before the approval was durable, a restart could run
  // the tool again.
  parts.traces.answered(toolCallId, selectedOptionId);
  parts.answers.settle(toolCallId);
  return { accepted: true, ticket: { taskId, turn: number, afterPosition } };
}

/**
 * Returns the verdict for an answer without an open question: `closed` if another answer was accepted, else
 * `unknown`. Waits until the accepted answer is committed.
 */
async function lateVerdict(toolCallId: string, recorder: Recorder): Promise<AnswerVerdict> {
  await recorder.flush();
  const settled = recorder.state.answers[toolCallId];
  if (settled?.origin === undefined) return { accepted: false, reason: "unknown" };
  return {
    accepted: false,
    reason: "closed",
    answeredBy: settled.origin,
    selectedOptionId: settled.selectedOptionId,
  };
}

function checkOption({ confirmationRequest }: ToolCall, selectedOptionId: string): void {
  const offered = (confirmationRequest?.options ?? []).map((option) => option.id);
  if (offered.includes(selectedOptionId)) return;
  failAt(
    "selected_option_id",
    `there is no option ${selectedOptionId}; the options are ${offered.join(", ")}`,
  );
}

function nextStep(call: OpenCall, turn: RunningTurn, options: AnswerQuestionOptions): ToolCallStep {
  const { confirmation, parts } = options;
  const { engine } = parts;
  if (!isGrant(confirmation.selectedOptionId)) return { type: "cancel" };
  const edited = confirmation.modifiedDetails?.value.newContent;
  if (edited !== undefined && confirmation.selectedOptionId !== OPTION_IDS.proceedOnce) {
    failAt("file_details", "edited content needs the option proceed_once");
  }
  const input = edited === undefined ? undefined : engine.reviseInput(call.toolCall, edited);
  if (edited !== undefined && input === undefined) {
    failAt("file_details", "this question has no content to edit");
  }
  const revision = input === undefined ? {} : { inputParameters: input };
  const canStart = canRunIndependently(call, engine) || !hasEarlierWrite(call, turn, engine);
  return { type: canStart ? "start" : "settle", ...revision };
}

function hasEarlierWrite(call: OpenCall, { calls }: RunningTurn, engine: TurnEngine): boolean {
  return calls
    .slice(0, calls.indexOf(call))
    .some((earlier) => isOpen(earlier) && !engine.isReadOnly(earlier.toolCall));
}

// Returns true if a call waits for no other call, because the call only reads or is a nested question.
function canRunIndependently({ toolCall, parentCallId }: OpenCall, engine: TurnEngine): boolean {
  return parentCallId !== undefined || engine.isReadOnly(toolCall);
}

function approvalOf({ confirmationRequest }: ToolCall, selectedOptionId: string) {
  return isGrant(selectedOptionId) ? { approval: { details: confirmationRequest?.details } } : {};
}

function rememberedRecords(
  answer: ConfirmationAnswer,
  { toolCall, question }: OpenCall,
  { prompt }: RunningTurn,
): readonly JournalRecord[] {
  if (answer.selectedOptionId !== OPTION_IDS.proceedAlways) return [];
  const { principal = "", name = "" } = answer.origin ?? {};
  const asked = toolCall.description ?? toolCall.toolName;
  return (question?.scopes ?? []).map((scope) => ({
    type: "remembered" as const,
    answer: { principal, name, turn: prompt.turn, asked, ...scope },
  }));
}
