import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";

/** What a span says of itself; never what people, models or tools wrote. */
export interface SpanAbout {
  readonly name: string;
  readonly attributes?: Attributes;
  /** Set where something outside of this process is asked. */
  readonly isOutgoing?: boolean;
}

/** Something that is under way, with the context for what belongs to it. */
export interface OpenSpan {
  readonly span: Span;
  readonly within: Context;
}

/** Begins a span below another one. Does next to nothing where nobody traces. */
export function openSpan(
  { name, attributes = {}, isOutgoing }: SpanAbout,
  parent: Context,
): OpenSpan {
  const kind = isOutgoing === true ? SpanKind.CLIENT : SpanKind.INTERNAL;
  const span = trace.getTracer("@dt/agent-core").startSpan(name, { attributes, kind }, parent);
  return { span, within: trace.setSpan(parent, span) };
}

/** Does something as a span; what it starts belongs to that. */
export async function inSpan<TResult>(
  about: SpanAbout,
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

// The message of an error may hold what a file or a person said.
function nameOf(reason: unknown): string {
  return reason instanceof Error ? reason.name : typeof reason;
}
