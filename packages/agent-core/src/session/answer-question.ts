import {
  type AnswerVerdict,
  advanceToolCall,
  type ConfirmationAnswer,
  isGrant,
  isTerminalStatus,
  isWaiting,
  optionIds,
  type Principal,
  ProtocolError,
  type ToolCall,
  type ToolCallConfirmation,
  type ToolCallStep,
} from "@dt/schema";
import type { PendingAnswers } from "../confirmation/pending-answers.js";
import { changedCall } from "../record/changed-call.js";
import type { JournalRecord } from "../record/journal-record.js";
import type { Recorder } from "../record/recorder.js";
import type { RunningTurn } from "../record/session-state.js";
import type { ToolRegistry } from "../tools/tool-registry.js";
import type { TurnTraces } from "../tracing/turn-traces.js";

/** An answer, and what it is judged against. */
export interface AnswerQuestionOptions {
  readonly confirmation: ToolCallConfirmation;
  readonly origin: Principal;
  readonly messageId: string | undefined;
  readonly recorder: Recorder;
  readonly tools: ToolRegistry;
  readonly answers: PendingAnswers;
  readonly traces: TurnTraces;
}

/**
 * Settles a question. The first answer counts: the state moves before anything is awaited, so two
 * answers cannot both find the question open. The answer and what follows from it are one commit.
 */
export async function answerQuestion(options: AnswerQuestionOptions): Promise<AnswerVerdict> {
  const { confirmation, origin, recorder } = options;
  const { toolCallId, selectedOptionId } = confirmation;
  const { turn } = recorder.state;
  const call = turn?.calls.find((open) => open.toolCallId === toolCallId && isWaiting(open));
  if (turn === undefined || call === undefined) return await lateVerdict(toolCallId, recorder);

  checkOption(call, selectedOptionId);
  const step = nextStep(call, turn, options);
  const toolCall = advanceToolCall(call, step);
  const answer: ConfirmationAnswer = {
    toolCallId,
    selectedOptionId,
    origin: { principal: origin.principal, name: origin.name },
  };
  const { turn: number, taskId } = turn.prompt;
  const seq = await recorder.commit({
    journal: [
      { type: "question-answered", answer, ...approvalOf(call, selectedOptionId) },
      ...rememberedBy(answer, call, turn),
      changedCall(toolCall),
    ],
    events: [{ kind: "TOOL_CALL_UPDATE", toolCall, answer }],
    isCritical: true,
    ...(options.messageId !== undefined && {
      receipt: { principal: origin.principal, messageId: options.messageId, taskId, turn: number },
    }),
  });
  // Only now: a tool that ran before its approval was durable could run again after a restart.
  options.traces.answered(toolCallId, selectedOptionId);
  options.answers.settle(toolCallId);
  return { accepted: true, taskId, turn: number, seq };
}

/** What an answer to a question that is not open is told, once the winner's is committed. */
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
  throw new ProtocolError(
    "invalid-message",
    `selected_option_id: there is no option ${selectedOptionId}; the options are ${offered.join(", ")}`,
  );
}

function nextStep(call: ToolCall, turn: RunningTurn, options: AnswerQuestionOptions): ToolCallStep {
  const { confirmation, tools } = options;
  const tool = tools.find(call.toolName);
  const edited = confirmation.modifiedDetails?.value.newContent;
  if (!isGrant(confirmation.selectedOptionId)) return { type: "cancel" };
  if (edited !== undefined && confirmation.selectedOptionId !== optionIds.proceedOnce) {
    throw new ProtocolError(
      "invalid-message",
      "file_details: edited content goes with proceed_once",
    );
  }
  if (edited !== undefined && tool?.revise === undefined) {
    throw new ProtocolError(
      "invalid-message",
      "file_details: this question has no content to edit",
    );
  }
  const input =
    edited === undefined ? undefined : tool?.revise?.(call.inputParameters ?? {}, edited);
  const revision = input === undefined ? {} : { inputParameters: input };
  const isNext = tool?.isReadOnly === true || !hasEarlierWrite(call, turn, tools);
  return { type: isNext ? "start" : "settle", ...revision };
}

function hasEarlierWrite(call: ToolCall, { calls }: RunningTurn, tools: ToolRegistry): boolean {
  return calls
    .slice(0, calls.indexOf(call))
    .some(
      (earlier) =>
        !isTerminalStatus(earlier.status) && tools.find(earlier.toolName)?.isReadOnly === false,
    );
}

function approvalOf(call: ToolCall, selectedOptionId: string) {
  return isGrant(selectedOptionId)
    ? { approval: { details: call.confirmationRequest?.details } }
    : {};
}

function rememberedBy(
  answer: ConfirmationAnswer,
  call: ToolCall,
  turn: RunningTurn,
): readonly JournalRecord[] {
  if (answer.selectedOptionId !== optionIds.proceedAlways) return [];
  const { principal = "", name = "" } = answer.origin ?? {};
  const scopes = turn.scopes[answer.toolCallId] ?? [];
  const asked = call.description ?? call.toolName;
  return scopes.map((scope) => ({
    type: "remembered" as const,
    answer: { principal, name, turn: turn.prompt.turn, asked, ...scope },
  }));
}
