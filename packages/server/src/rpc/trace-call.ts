import { isProtocolError } from "@dt/schema";
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { RpcOutcome } from "./rpc-context.js";

/** Reads the trace of a request from its headers. */
export function readTrace(headers: object): Context {
  return propagation.extract(ROOT_CONTEXT, headers);
}

/** Properties of a call for its span. */
export interface TracedCall {
  readonly operation: string;
  readonly version: string;
  /** Trace of the request. If it contains a span of the caller, that span is the parent. */
  readonly parent: Context;
}

/**
 * Runs a call as a span that lasts until the answer or the end of its stream. The spans of the call's turn are
 * children of this span. Without a tracer, this costs almost nothing.
 */
export async function traceCall(
  { operation, version, parent }: TracedCall,
  run: () => Promise<RpcOutcome>,
): Promise<RpcOutcome> {
  const attributes = { "rpc.system": "jsonrpc", "rpc.method": operation, "a2a.version": version };
  const span = trace
    .getTracer("@dt/server")
    .startSpan(`a2a ${operation}`, { kind: SpanKind.SERVER, attributes }, parent);
  if (!span.isRecording()) return await run();
  const within = trace.setSpan(parent, span);
  try {
    const outcome = await context.with(within, run);
    if (outcome.type === "stream")
      return { ...outcome, batches: endSpanAfter(outcome.batches, span) };
    span.end();
    return outcome;
  } catch (reason) {
    fail(span, reason);
    span.end();
    throw reason;
  }
}

async function* endSpanAfter<TItem>(items: AsyncIterable<TItem>, span: Span) {
  try {
    yield* items;
  } catch (reason) {
    fail(span, reason);
    throw reason;
  } finally {
    span.end();
  }
}

function fail(span: Span, reason: unknown): void {
  const message = isProtocolError(reason) ? reason.code : "internal";
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
