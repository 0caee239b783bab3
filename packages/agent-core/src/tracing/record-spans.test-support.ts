import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";

/** A span in a form that is easy to compare. */
export interface RecordedSpan {
  readonly name: string;
  /** Name of the parent span. */
  readonly in?: string;
  readonly attributes: Attributes;
  /** Set if the span called something outside of this process. */
  readonly isOutgoing?: true;
  /** Status message of a span that failed. */
  readonly error?: string;
  /** Set if the span was never ended. */
  readonly isOpen?: true;
}

/** The spans of this process while a test runs. */
export interface SpanRecord extends Disposable {
  /** Returns all spans in the order in which they started. */
  spans(): readonly RecordedSpan[];
}

/** Records all spans until the record is disposed of. */
export function recordSpans(): SpanRecord {
  const recorded: { span: RecordedSpan; isEnded: boolean }[] = [];
  const names = new Map<string, string>();
  const tracer: Pick<Tracer, "startSpan"> = {
    startSpan(name, options = {}, parent = ROOT_CONTEXT) {
      const parentSpan = trace.getSpanContext(parent);
      const spanId = String(names.size + 1).padStart(16, "0");
      names.set(spanId, name);
      const started: RecordedSpan = {
        name,
        ...(parentSpan !== undefined && { in: names.get(parentSpan.spanId) ?? "?" }),
        attributes: { ...options.attributes },
        ...(options.kind === SpanKind.CLIENT && { isOutgoing: true as const }),
      };
      const entry = { span: started, isEnded: false };
      recorded.push(entry);
      const traceId = parentSpan?.traceId ?? spanId.padStart(32, "a");
      return createSpan({ traceId, spanId, traceFlags: 1 }, entry);
    },
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer as Tracer });
  context.setGlobalContextManager(createContextManager());
  return {
    spans: () => recorded.map(({ span, isEnded }) => (isEnded ? span : { ...span, isOpen: true })),
    [Symbol.dispose]() {
      trace.disable();
      context.disable();
    },
  };
}

function createSpan(about: SpanContext, entry: { span: RecordedSpan; isEnded: boolean }): Span {
  const add = (attributes: Attributes) => {
    entry.span = { ...entry.span, attributes: { ...entry.span.attributes, ...attributes } };
    return span;
  };
  const span: Span = {
    spanContext: () => about,
    setAttribute: (key, value) => add({ [key]: value }),
    setAttributes: add,
    setStatus({ code, message = "" }) {
      if (code === SpanStatusCode.ERROR) entry.span = { ...entry.span, error: message };
      return span;
    },
    end() {
      entry.isEnded = true;
    },
    isRecording: () => !entry.isEnded,
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    updateName: () => span,
    recordException() {},
  };
  return span;
}

function createContextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (within, work, self, ...args) => storage.run(within, () => work.call(self, ...args)),
    bind: (_within, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}
