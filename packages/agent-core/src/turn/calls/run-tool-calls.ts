import type { ToolCall, ToolCallStatus } from "@dt/schema";
import { context, SpanStatusCode } from "@opentelemetry/api";
import { findOpenCall, isAsking, isOpen } from "../../record/calls/open-call.js";
import { type OpenSpan, openSpan, type SpanDescription } from "../../tracing/in-span.js";
import type { CallScope } from "../turn-scope.js";
import { type AdmittedCall, admitToolCall } from "./admit-tool-call.js";
import { executeToolCall } from "./execute-tool-call.js";

/**
 * Runs the calls of one step to their end. All calls are admitted first. Then read-only calls run in
 * parallel, and the other calls run one after another in the order in which they were requested.
 */
export async function runToolCalls(scope: CallScope): Promise<void> {
  const tracedCalls: TracedCall[] = [];
  const { recorder } = scope;
  for (const call of recorder.state.turn?.calls.filter(isOpen) ?? []) {
    const open = openSpan(toolSpan(call.toolCall, scope), scope.span);
    const admitted = await admitToolCall(call, scope);
    if (admitted === undefined) {
      endSpan(open, "FAILED");
      continue;
    }
    const current = findOpenCall(recorder.state.turn, admitted.toolCallId);
    if (current !== undefined && isAsking(current))
      scope.traces.asked(current.toolCall, open.within);
    tracedCalls.push({ admitted, open });
  }
  let previous: Promise<void> = Promise.resolve();
  const runs = tracedCalls.map((traced) => {
    if (traced.admitted.tool.isReadOnly) return execute(traced, scope);
    previous = previous.then(() => execute(traced, scope));
    return previous;
  });
  await Promise.all(runs);
}

/** An admitted call with its span. The span lasts from the admission to the end of the call. */
interface TracedCall {
  readonly admitted: AdmittedCall;
  readonly open: OpenSpan;
}

async function execute({ admitted, open }: TracedCall, scope: CallScope): Promise<void> {
  let status: ToolCallStatus = "EXECUTING";
  try {
    status = await context.with(open.within, () => executeToolCall(admitted, scope));
  } finally {
    endSpan(open, status);
  }
}

function endSpan({ span }: OpenSpan, status: ToolCallStatus): void {
  span.setAttribute("dt.tool_call.status", status);
  if (status === "FAILED") span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Describes the span of a call. The name of an unknown tool is text that the model wrote, so it is left out. */
function toolSpan({ toolCallId, toolName }: ToolCall, { tools }: CallScope): SpanDescription {
  const isKnown = tools.find(toolName) !== undefined;
  return {
    name: isKnown ? `execute_tool ${toolName}` : "execute_tool",
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      ...(isKnown && { "gen_ai.tool.name": toolName }),
      "gen_ai.tool.call.id": toolCallId,
    },
  };
}
