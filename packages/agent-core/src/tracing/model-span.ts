import type { SpanDescription } from "./in-span.js";

/** Describes a model call by OpenTelemetry's conventions for generative AI. */
export function modelSpan(model: string): SpanDescription {
  return {
    name: `chat ${model}`,
    isOutgoing: true,
    attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": model },
  };
}
