import type { ToolCall, ToolOutput } from "@dt/schema";
import { ToolError, toErrorDetails } from "../../errors/tool-error.js";
import { findOpenCall, isAsking } from "../../record/calls/open-call.js";
import type { Tool, ToolInput, ToolRun } from "../../tools/tool.js";
import { admitToolCall } from "../../turn/calls/admit-tool-call.js";
import { decideForTurn } from "../../turn/calls/decide-for-turn.js";
import { executeToolCall } from "../../turn/calls/execute-tool-call.js";
import type { ExternalScope } from "../external-scope.js";

/** A call to run through the policy. */
export interface CallToRun {
  readonly call: ToolCall;
  readonly tool: Tool;
  /** Id of the running call that contains this call; undefined if there is none. */
  readonly parentCallId?: string | undefined;
  /** True if the call is already part of the turn. */
  readonly isReported?: boolean;
  /** Names that the policy must all allow. Default: the name of the tool. */
  readonly policyNames?: readonly string[];
  /** Withdraws the question when it aborts. */
  readonly signal: AbortSignal;
}

/** The end of a call. */
export type CallEnd =
  | { readonly type: "ran"; readonly output: ToolOutput }
  | { readonly type: "failed"; readonly fault: string; readonly message: string }
  /** The policy or a person refused the call, or the question was withdrawn. */
  | { readonly type: "refused"; readonly message: string };

/** Judges a call, asks about it if necessary, and runs its tool if it may run. */
export async function runExternalCall(given: CallToRun, scope: ExternalScope): Promise<CallEnd> {
  const { call, tool, signal } = given;
  const { toolCallId } = call;
  const { recorder } = scope;
  let end: CallEnd | undefined;
  const watched = watchTool(tool, (reached) => {
    end = reached;
  });
  const forbidden = findForbidden(given, scope);
  const usable = forbidden === undefined ? watched : forbidTool(tool, forbidden);
  const own = scopeOf(usable, scope);
  if (given.isReported !== true) await report(given, scope);
  const open = findOpenCall(recorder.state.turn, toolCallId);
  const admitted = open === undefined ? undefined : await admitToolCall(open, own);
  if (admitted === undefined) {
    return end ?? { type: "refused", message: await explain(given, scope) };
  }
  using _ = withdrawOnAbort(toolCallId, signal, scope);
  await executeToolCall(admitted, own);
  return end ?? { type: "refused", message: REFUSED };
}

/**
 * Runs a tool as a part of a permitted call, without a call and a checkpoint of its own, because the permitted call
 * has both. The tool gets its own plan, because it may do only what it planned.
 */
export async function runInside(
  { run }: { readonly run: ToolRun },
  tool: Tool,
  input: ToolInput,
): Promise<CallEnd> {
  try {
    const { actions: planned } = await tool.plan(input, run.workspace);
    return { type: "ran", output: await tool.run(input, { ...run, planned, shown: undefined }) };
  } catch (reason) {
    return toFailedEnd(reason);
  }
}

async function report({ call, parentCallId }: CallToRun, { recorder }: ExternalScope) {
  const toolCall = call;
  await recorder.commit({
    journal: [
      parentCallId === undefined
        ? { type: "call-reported", toolCall }
        : { type: "call-nested", parentCallId, toolCall },
    ],
  });
}

/** Wraps a tool, so that `onEnd` gets its result or its error. An error of the preview is reported too. */
function watchTool(tool: Tool, onEnd: (end: CallEnd) => void): Tool {
  const { preview } = tool;

  async function watch<TResult>(work: Promise<TResult>): Promise<TResult> {
    try {
      return await work;
    } catch (reason) {
      onEnd(toFailedEnd(reason));
      throw reason;
    }
  }

  return {
    ...tool,
    ...(preview !== undefined && { preview: (input, context) => watch(preview(input, context)) }),
    async run(input, run: ToolRun) {
      const output = await watch(tool.run(input, run));
      onEnd({ type: "ran", output });
      return output;
    },
  };
}

function toFailedEnd(reason: unknown): CallEnd {
  const { message, type = "failed" } = toErrorDetails(reason);
  return { type: "failed", fault: type, message };
}

/** Replaces a tool that the policy forbids by a tool that fails before it does anything. */
function forbidTool(tool: Tool, forbidden: string): Tool {
  const refuse = () => Promise.reject(new ToolError("not_allowed", describeForbidden(forbidden)));
  return { ...tool, plan: refuse, run: refuse };
}

function describeForbidden(forbidden: string): string {
  return `the policy of this server does not allow ${forbidden}; do not try it in another way`;
}

/**
 * Returns the scope of one call. In this scope only the call's own tool can be found. The time in which the call waits
 * for a person does not count as working time.
 */
function scopeOf(tool: Tool, scope: ExternalScope): ExternalScope {
  const { answers, workClock } = scope;
  return {
    ...scope,
    tools: { find: () => tool, list: () => [tool] },
    answers: {
      settle: answers.settle,
      wait: (toolCallId, signal) => workClock.pause(() => answers.wait(toolCallId, signal)),
    },
  };
}

/** Returns the first name of a call that the policy forbids; undefined if the policy allows the call. */
function findForbidden(
  { tool, policyNames = [tool.name] }: CallToRun,
  { isToolAllowed }: ExternalScope,
): string | undefined {
  return policyNames.find((name) => !isToolAllowed(name));
}

async function explain(given: CallToRun, scope: ExternalScope): Promise<string> {
  const { call, tool } = given;
  const forbidden = findForbidden(given, scope);
  if (forbidden !== undefined) return describeForbidden(forbidden);
  try {
    const plan = await tool.plan(call.inputParameters ?? {}, scope.workspace);
    const decision = decideForTurn(plan.actions, scope);
    if (decision.type === "deny") return decision.reason;
  } catch (reason) {
    return toErrorDetails(reason).message;
  }
  return REFUSED;
}

const REFUSED =
  "the person refused this, or it was refused before in this turn; do not try it in another way";

/** Cancels a question when its asker no longer waits for the answer. */
function withdrawOnAbort(
  toolCallId: string,
  signal: AbortSignal,
  { recorder, answers }: ExternalScope,
): Disposable {
  const withdraw = () => {
    const open = findOpenCall(recorder.state.turn, toolCallId);
    if (open === undefined || !isAsking(open)) return;
    // The state changes before the first await, so a later answer finds no question. `flush` reports a failure.
    recorder.advance({ toolCallId, step: { type: "cancel" } }).catch(() => {});
    answers.settle(toolCallId);
  };
  if (signal.aborted) withdraw();
  signal.addEventListener("abort", withdraw, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", withdraw) };
}
