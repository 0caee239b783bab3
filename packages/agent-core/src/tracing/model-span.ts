import type { SpanAbout } from "./in-span.js";

/** A call of a model, as OpenTelemetry's conventions for generative AI name it. */
export function modelSpan(model: string): SpanAbout {
  return {
    name: `chat ${model}`,
    isOutgoing: true,
    attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": model },
  };
}
