import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";

/** A received span. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code?: number };
}

/** Opens a stand-in for an OpenTelemetry collector over HTTP. It collects only spans that arrive as JSON. */
export async function openTraceCollector() {
  const spans: CollectedSpan[] = [];
  const types: string[] = [];
  const changes = new EventEmitter();
  const server = createServer(async (request, response) => {
    types.push(String(request.headers["content-type"]));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (types.at(-1) === "application/json") {
      spans.push(...spansIn(JSON.parse(Buffer.concat(chunks).toString())));
    }
    response.setHeader("Content-Type", "application/json").end("{}");
    changes.emit("change");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    /** The content type of each request. */
    types,
    /** Waits until `fits` returns true. `fits` is called again after each request. */
    async until(fits: () => boolean): Promise<void> {
      while (!fits()) await once(changes, "change");
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
function spansIn(body: any): CollectedSpan[] {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
  const sent: any[] = body.resourceSpans.flatMap(({ scopeSpans }: any) =>
    // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
    scopeSpans.flatMap(({ spans }: any) => spans),
  );
  return sent.map((span) => ({
    ...span,
    attributes: Object.fromEntries(
      // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
      span.attributes.map(({ key, value }: any) => [key, Object.values(value)[0]]),
    ),
  }));
}
