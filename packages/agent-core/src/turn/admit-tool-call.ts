import { advanceToolCall, type ErrorDetails, isWaiting, type ToolCall } from "@dt/schema";
import { buildConfirmationRequest } from "../confirmation/confirmation-request.js";
import { deniedReason, findDeniedTarget, targetsOf } from "../confirmation/denied-targets.js";
import { findRememberableScopes } from "../confirmation/remembered-answers.js";
import { ToolError, toErrorDetails } from "../errors/tool-error.js";
import type { JournalRecord } from "../record/journal-record.js";
import type { Action } from "../tools/action.js";
import { checkInput } from "../tools/check-input.js";
import { findPreview } from "../tools/find-preview.js";
import type { ConfirmationDetails, Plan, Preview, Tool } from "../tools/tool.js";
import { decideNow } from "./decide-now.js";
import { orAbandoned } from "./or-abandoned.js";
import type { TurnScope } from "./turn-scope.js";

/** A call that may run: at once, or when its question is answered. */
export interface AdmittedCall {
  readonly toolCallId: string;
  readonly tool: Tool;
  /** What the question shows; undefined where nobody is asked. */
  readonly shown: ConfirmationDetails;
  /** The files that it will change, as far as that is known beforehand. */
  readonly edits: readonly string[];
  /** What it was permitted to do. */
  readonly planned?: readonly Action[];
}

/**
 * Checks a call and asks about it where the policy says so. The policy decides from what the call would
 * do, before any content is read. Undefined where the call ended here: an unknown tool, a bad input,
 * something that may not be done, or a change that cannot be made.
 */
export async function admitToolCall(
  call: ToolCall,
  scope: TurnScope,
): Promise<AdmittedCall | undefined> {
  const { toolCallId } = call;
  const tool = findUsable(call, scope);
  if (tool === undefined) return await refuse(call, unknownTool(call.toolName, scope), scope);
  // A session that was restored has asked already; nothing is announced twice.
  const approval = scope.recorder.state.turn?.approvals[toolCallId];
  if (isWaiting(call) || approval !== undefined) {
    const shown = approval?.details ?? call.confirmationRequest?.details;
    const planned = scope.recorder.state.turn?.planned[toolCallId];
    const edits = editsOf(planned ?? []);
    return { toolCallId, tool, shown, edits, ...(planned !== undefined && { planned }) };
  }

  const input = call.inputParameters ?? {};
  let plan: Plan;
  try {
    const inputError = scope.recorder.state.turn?.inputErrors[toolCallId];
    if (inputError !== undefined) throw new ToolError("invalid_input", inputError);
    checkInput(tool, input);
    const planning = tool.plan(input, scope.workspace);
    plan = await orAbandoned(planning, scope.signal);
  } catch (reason) {
    return await refuse(call, toErrorDetails(reason), scope);
  }
  const edits = editsOf(plan.actions);
  // Nobody is asked about a call that is refused, so nobody is told where a link outside leads.
  const { description: planned } = plan;
  const described = isWithin(scope, plan.actions) ? { ...call, description: planned } : call;
  const denied = findDeniedTarget(plan.actions, scope.recorder.state.turn?.denied ?? []);
  if (denied !== undefined) {
    const { root } = scope.workspace;
    const reason = deniedReason(denied, { actions: plan.actions, root });
    return await refuse(described, notAllowed(reason), scope);
  }
  const decision = decideNow(plan.actions, scope);
  if (decision.type === "deny") {
    return await refuse(described, notAllowed(decision.reason), scope);
  }
  const isAllowed = decision.type === "allow";
  let preview: Preview;
  try {
    const looking = findPreview(tool, { input, plan, workspace: scope.workspace, isAllowed });
    preview = await orAbandoned(looking, scope.signal);
  } catch (reason) {
    return await refuse(described, toErrorDetails(reason), scope);
  }
  const { description, details } = preview;
  if (isAllowed) {
    await announce({ ...call, description }, tool, scope);
    return { toolCallId, tool, shown: undefined, edits, planned: plan.actions };
  }
  const request = buildConfirmationRequest({ ...plan, details });
  await announce(advanceToolCall({ ...call, description }, { type: "ask", request }), tool, scope, [
    {
      type: "asked",
      toolCallId,
      scopes: findRememberableScopes(plan.actions),
      targets: plan.actions.flatMap(targetsOf),
      actions: plan.actions,
    },
  ]);
  return { toolCallId, tool, shown: details, edits, planned: plan.actions };
}

/** Whether a description names no place but what lies inside, without a link outside on the way. */
function isWithin({ workspace }: TurnScope, actions: readonly Action[]): boolean {
  return actions.every((action) => {
    if (action.type === "execute") return action.directory === workspace.root;
    return "isInside" in action ? action.isInside : true;
  });
}

function editsOf(actions: readonly Action[]): readonly string[] {
  return actions.flatMap((action) => (action.type === "edit" ? [action.path] : []));
}

async function announce(
  toolCall: ToolCall,
  { isReadOnly }: Tool,
  { recorder }: TurnScope,
  journal: readonly JournalRecord[] = [],
): Promise<void> {
  const isKnown = recorder.state.turn?.announced.includes(toolCall.toolCallId) === true;
  // After a restart, what was shown before and asks nothing new is not shown again.
  if (isKnown && toolCall.confirmationRequest === undefined) return;
  await recorder.commit({
    journal: [...journal, { type: "call-changed", toolCall, ...(isReadOnly && { isReadOnly }) }],
    events: [{ kind: "TOOL_CALL_UPDATE", toolCall }],
  });
}

async function refuse(
  call: ToolCall,
  error: ErrorDetails,
  { recorder }: TurnScope,
): Promise<undefined> {
  const failed = advanceToolCall(call, { type: "fail", error });
  await recorder.commit({
    journal: [{ type: "call-changed", toolCall: failed }],
    events: [
      { kind: "TOOL_CALL_UPDATE", toolCall: call },
      { kind: "TOOL_CALL_UPDATE", toolCall: failed },
    ],
  });
}

// What only commands and the agent itself may use does not exist for the model.
function findUsable({ toolName }: ToolCall, { tools, recorder }: TurnScope): Tool | undefined {
  const tool = tools.find(toolName);
  return tool?.isInternal === true && recorder.state.turn?.isRound !== true ? undefined : tool;
}

function notAllowed(reason: string): ErrorDetails {
  return { message: reason, type: "not_allowed" };
}

function unknownTool(name: string, { tools }: TurnScope): ErrorDetails {
  const known = tools.list().flatMap((tool) => (tool.isInternal === true ? [] : [tool.name]));
  return {
    message: `there is no tool called ${name}; the tools are ${known.join(", ")}`,
    type: "unknown_tool",
  };
}
