import { advanceToolCall, type ConfirmationRequest, type ToolCall } from "@dt/schema";
import { buildConfirmationRequest } from "../../confirmation/confirmation-request.js";
import { explainDenial, findDeniedTarget, targetsOf } from "../../confirmation/denied-targets.js";
import { getAlwaysScopes } from "../../confirmation/remembered-answers.js";
import { ToolError } from "../../errors/tool-error.js";
import { findOpenCall, isAsking, isOpen } from "../../record/calls/open-call.js";
import type { Action } from "../../tools/action.js";
import type { NestedAnswer, NestedQuestion } from "../../tools/tool.js";
import type { CallScope } from "../turn-scope.js";
import { decideForTurn } from "./decide-for-turn.js";

/** Maximum number of nested questions of one call. The session stores every question until the step ends. */
const MAX_NESTED_CALLS = 256;

/**
 * Asks a question inside a running call. The question is a separate call, and the policy decides
 * first whether it is asked. A question without actions is treated as an unknown action.
 */
export async function askNestedQuestion(
  parentCallId: string,
  question: NestedQuestion,
  scope: CallScope,
): Promise<NestedAnswer> {
  const { recorder, createId } = scope;
  const signal =
    question.signal === undefined ? scope.signal : AbortSignal.any([scope.signal, question.signal]);
  signal.throwIfAborted();
  const actions = actionsOf(question);
  const denied = findDeniedTarget(actions, recorder.state.turn?.denied ?? []);
  if (denied !== undefined) {
    return {
      isGranted: false,
      reason: explainDenial(denied, { actions, root: scope.workspace.root }),
    };
  }
  const decision = decideForTurn(actions, scope);
  if (decision.type === "deny") return { isGranted: false, reason: decision.reason };
  checkCount(parentCallId, scope);
  const toolCallId = createId();
  const pending = toToolCall(toolCallId, question);
  if (decision.type === "allow") {
    await recordNestedCall(pending, { parentCallId, scope });
    await recorder.advance({ toolCallId, step: { type: "start" } });
    return toGrantedAnswer(toolCallId, scope);
  }
  const asking = advanceToolCall(pending, { type: "ask", request: requestOf(question) });
  await recordNestedCall(asking, { parentCallId, question, scope });
  scope.traces.asked(asking, scope.span);
  const current = () => findOpenCall(recorder.state.turn, toolCallId);
  if (current()?.toolCall.confirmationRequest !== undefined) {
    await scope.workClock.pause(() => scope.answers.wait(toolCallId, signal));
  }
  // Waits for the commit of the answer, because the permitted step must not start before that commit.
  await recorder.flush();
  scope.signal.throwIfAborted();
  const settled = current();
  if (signal.aborted && settled !== undefined && isAsking(settled)) {
    await recorder.advance({ toolCallId, step: { type: "cancel" } });
  }
  signal.throwIfAborted();
  if (settled?.toolCall.status === "EXECUTING") {
    const newContent = findNestedEdit(settled.toolCall);
    return {
      ...toGrantedAnswer(toolCallId, scope),
      ...(newContent !== undefined && { newContent }),
    };
  }
  const reason = settled?.refusalReason;
  return { isGranted: false, ...(reason !== undefined && { reason }) };
}

async function recordNestedCall(
  toolCall: ToolCall,
  {
    parentCallId,
    question,
    scope,
  }: { parentCallId: string; question?: NestedQuestion; scope: CallScope },
): Promise<void> {
  const { toolCallId } = toolCall;
  const { actions = [] } = question ?? {};
  const scopes = getAlwaysScopes(actions);
  const targets = actions.flatMap(targetsOf);
  await scope.recorder.commit({
    journal: [
      { type: "call-nested", parentCallId, toolCall },
      ...(question === undefined
        ? []
        : [{ type: "asked" as const, toolCallId, actions, scopes, targets }]),
    ],
    events: [{ kind: "TOOL_CALL_UPDATE", toolCall, parentCallId }],
  });
}

function toToolCall(
  toolCallId: string,
  { toolName, input, description }: NestedQuestion,
): ToolCall {
  return {
    toolCallId,
    toolName,
    description,
    status: "PENDING",
    inputParameters: withoutEdit(input),
    result: undefined,
  };
}

function requestOf({ actions = [], description, details }: NestedQuestion): ConfirmationRequest {
  return buildConfirmationRequest({ actions, description, details });
}

function toGrantedAnswer(toolCallId: string, { recorder }: CallScope): NestedAnswer {
  return {
    isGranted: true,
    async finish(step) {
      const call = findOpenCall(recorder.state.turn, toolCallId);
      // The parent call may have ended already, and its end also ends its nested calls.
      if (call !== undefined && isOpen(call)) await recorder.advance({ toolCallId, step });
    },
  };
}

/** Name of the input in which a nested call keeps the text that the person wrote. */
const EDITED_INPUT = "edited_content";

/** Returns the input of a nested call with an edit; undefined if its question shows no file. */
export function reviseNestedInput(
  { inputParameters = {}, confirmationRequest }: ToolCall,
  newContent: string,
): ToolCall["inputParameters"] {
  if (confirmationRequest?.details?.$case !== "fileEditDetails") return undefined;
  return { ...inputParameters, [EDITED_INPUT]: newContent };
}

function findNestedEdit({ inputParameters }: ToolCall): string | undefined {
  const edited = inputParameters?.[EDITED_INPUT];
  return typeof edited === "string" ? edited : undefined;
}

/** Leaves out an input of the called agent that could be mistaken for an edit. */
function withoutEdit(input: ToolCall["inputParameters"]): ToolCall["inputParameters"] {
  if (input === undefined) return undefined;
  const { [EDITED_INPUT]: _, ...others } = input;
  return others;
}

function actionsOf({ toolName, description, actions = [] }: NestedQuestion): readonly Action[] {
  return actions.length > 0 ? actions : [{ type: "other", name: toolName, target: description }];
}

function checkCount(parentCallId: string, { recorder }: CallScope): void {
  const calls = recorder.state.turn?.calls ?? [];
  const count = calls.filter((call) => call.parentCallId === parentCallId).length;
  if (count < MAX_NESTED_CALLS) return;
  throw new ToolError(
    "too_many_questions",
    `a tool call may ask at most ${MAX_NESTED_CALLS} questions; ask fewer, or make several calls`,
  );
}
