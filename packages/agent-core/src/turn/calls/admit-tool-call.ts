import type { ErrorDetails, ToolCall } from "@dt/schema";
import { buildConfirmationRequest } from "../../confirmation/confirmation-request.js";
import { explainDenial, findDeniedTarget, targetsOf } from "../../confirmation/denied-targets.js";
import { getAlwaysScopes } from "../../confirmation/remembered-answers.js";
import { ToolError, toErrorDetails } from "../../errors/tool-error.js";
import { isAsking, type OpenCall } from "../../record/calls/open-call.js";
import type { Action } from "../../tools/action.js";
import { buildPreview } from "../../tools/build-preview.js";
import { checkInput } from "../../tools/check-input.js";
import type { ConfirmationDetails, Plan, Preview, Tool } from "../../tools/tool.js";
import { abandonAfterAbort } from "../abandon-after-abort.js";
import type { CallScope } from "../turn-scope.js";
import { decideForTurn } from "./decide-for-turn.js";

/** A call that may run, immediately or after its question is answered. */
export interface AdmittedCall {
  readonly toolCallId: string;
  readonly tool: Tool;
  /** The details that the question shows; undefined if nobody is asked. */
  readonly shown: ConfirmationDetails;
  /** The paths of all edit actions in the plan of the call. */
  readonly edits: readonly string[];
  /** The actions in the plan of the call. The tool must do nothing else. */
  readonly planned?: readonly Action[];
}

/**
 * Checks a call and asks about it if the policy requires a question. The policy decides from the
 * planned actions, before any content is read. Returns undefined if the call has failed, for example
 * because its input is invalid or its actions are not allowed.
 */
export async function admitToolCall(
  open: OpenCall,
  scope: CallScope,
): Promise<AdmittedCall | undefined> {
  const { toolCall: call, approval, inputError } = open;
  const { toolCallId } = call;
  const tool = findUsableTool(call, scope);
  if (tool === undefined) return await refuse(call, unknownTool(call.toolName, scope), scope);
  // This call asked its question before a restart, so the question must not be announced again.
  if (isAsking(open) || approval !== undefined) {
    const shown = approval?.details ?? call.confirmationRequest?.details;
    const planned = open.question?.actions;
    const edits = editsOf(planned ?? []);
    return { toolCallId, tool, shown, edits, ...(planned !== undefined && { planned }) };
  }

  const input = call.inputParameters ?? {};
  let plan: Plan;
  try {
    if (inputError !== undefined) throw new ToolError("invalid_input", inputError);
    checkInput(tool, input);
    const planning = tool.plan(input, scope.workspace);
    plan = await abandonAfterAbort(planning, scope.signal);
  } catch (reason) {
    return await refuse(call, toErrorDetails(reason), scope);
  }
  const edits = editsOf(plan.actions);
  // Nobody has permitted a refused call, so its description must not reveal the target of a link.
  const safeDescription = namesOnlyInside(scope, plan.actions) ? plan.description : undefined;
  const denied = findDeniedTarget(plan.actions, scope.recorder.state.turn?.denied ?? []);
  if (denied !== undefined) {
    const { root } = scope.workspace;
    const reason = explainDenial(denied, { actions: plan.actions, root });
    return await refuse(call, notAllowed(reason), scope, safeDescription);
  }
  const decision = decideForTurn(plan.actions, scope);
  if (decision.type === "deny") {
    return await refuse(call, notAllowed(decision.reason), scope, safeDescription);
  }
  const isAllowed = decision.type === "allow";
  let preview: Preview;
  try {
    const previewing = buildPreview(tool, { input, plan, workspace: scope.workspace, isAllowed });
    preview = await abandonAfterAbort(previewing, scope.signal);
  } catch (reason) {
    return await refuse(call, toErrorDetails(reason), scope, safeDescription);
  }
  const { description, details } = preview;
  const { recorder } = scope;
  const { isReadOnly } = tool;
  const show = { toolCallId, step: { type: "show", description }, isReadOnly } as const;
  if (isAllowed) {
    // The call may have been announced before a restart.
    if (!open.isAnnounced) await recorder.advance(show);
    return { toolCallId, tool, shown: undefined, edits, planned: plan.actions };
  }
  const request = buildConfirmationRequest({ ...plan, details });
  await recorder.advance(
    { toolCallId, step: { type: "ask", request, description }, isReadOnly },
    {
      journal: [
        {
          type: "asked",
          toolCallId,
          scopes: getAlwaysScopes(plan.actions),
          targets: plan.actions.flatMap(targetsOf),
          actions: plan.actions,
        },
      ],
    },
  );
  return { toolCallId, tool, shown: details, edits, planned: plan.actions };
}

/**
 * True if the actions have only paths that a description may show. These are files inside the workspace, and
 * the workspace's root as the directory of a command.
 */
function namesOnlyInside({ workspace }: CallScope, actions: readonly Action[]): boolean {
  return actions.every((action) => {
    if (action.type === "execute") return action.directory === workspace.root;
    return "isInside" in action ? action.isInside : true;
  });
}

function editsOf(actions: readonly Action[]): readonly string[] {
  return actions.flatMap((action) => (action.type === "edit" ? [action.path] : []));
}

/** Announces the call and ends it with the error. */
async function refuse(
  { toolCallId }: ToolCall,
  error: ErrorDetails,
  { recorder }: CallScope,
  description?: string,
): Promise<undefined> {
  const shown = description === undefined ? {} : { description };
  await recorder.advance([
    { toolCallId, step: { type: "show", ...shown } },
    { toolCallId, step: { type: "fail", error } },
  ]);
}

// Finds the tool of a call. The model cannot use internal tools, which exist only for commands and the agent
// itself.
function findUsableTool({ toolName }: ToolCall, { tools, recorder }: CallScope): Tool | undefined {
  const tool = tools.find(toolName);
  return tool?.isInternal === true && recorder.state.turn?.isRound !== true ? undefined : tool;
}

function notAllowed(reason: string): ErrorDetails {
  return { message: reason, type: "not_allowed" };
}

function unknownTool(name: string, { tools }: CallScope): ErrorDetails {
  const known = tools.list().flatMap((tool) => (tool.isInternal === true ? [] : [tool.name]));
  return {
    message: `there is no tool called ${name}; the tools are ${known.join(", ")}`,
    type: "unknown_tool",
  };
}
