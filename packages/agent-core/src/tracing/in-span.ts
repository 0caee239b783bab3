import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";

/**
 * Name and attributes of a span: ids, states, numbers, and the names of models, known tools and the senders of
 * prompts. They never contain the text of a prompt, a reply, a tool call or a file.
 */
export interface SpanDescription {
  readonly name: string;
  readonly attributes?: Attributes;
  /** Set if the span calls something outside of this process. */
  readonly isOutgoing?: boolean;
}

/** A span that has not ended. `within` is the context in which its child spans start. */
export interface OpenSpan {
  readonly span: Span;
  readonly within: Context;
}

/** Starts a span with a parent. The call costs almost nothing if tracing is off. */
export function openSpan(
  { name, attributes = {}, isOutgoing }: SpanDescription,
  parent: Context,
): OpenSpan {
  const kind = isOutgoing === true ? SpanKind.CLIENT : SpanKind.INTERNAL;
  const span = trace.getTracer("@dt/agent-core").startSpan(name, { attributes, kind }, parent);
  return { span, within: trace.setSpan(parent, span) };
}

/** Runs `work` inside a new span. Spans that `work` starts are children of that span. */
export async function inSpan<TResult>(
  about: SpanDescription,
  parent: Context,
  work: (open: OpenSpan) => Promise<TResult>,
): Promise<TResult> {
  const open = openSpan(about, parent);
  try {
    return await context.with(open.within, () => work(open));
  } catch (reason) {
    open.span.setStatus({ code: SpanStatusCode.ERROR, message: nameOf(reason) });
    throw reason;
  } finally {
    open.span.end();
  }
}

// Returns the name of an error, because the message may contain text of a file or a person.
function nameOf(reason: unknown): string {
  return reason instanceof Error ? reason.name : typeof reason;
}
