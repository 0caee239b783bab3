import { setTimeout } from "node:timers/promises";
import { SetupError } from "@dt/server";
import { version } from "./server-version.js";

/** Traces that are on their way to where they are collected. */
export interface Tracing {
  /** Sends what is left, for a moment: nobody waits for a collector that is gone. */
  close(): Promise<void>;
}

/** How long the last spans may take. */
const FAREWELL_MS = 2_000;

type Variables = Readonly<Record<string, string | undefined>>;

const protocols = ["http/protobuf", "http/json"] as const;

/**
 * Starts to trace where OpenTelemetry's own variables ask for it; else nothing is loaded. Where to,
 * how much and under which name is read from them by OpenTelemetry itself.
 */
export async function startTracing(
  variables: Variables,
  onProblem: (problem: unknown) => void,
): Promise<Tracing | undefined> {
  const name = exporterOf(variables);
  if (name === "none") return undefined;
  const { diag, DiagLogLevel } = await import("@opentelemetry/api");
  const ignore = () => {};
  diag.setLogger(
    { error: onProblem, warn: onProblem, info: ignore, debug: ignore, verbose: ignore },
    DiagLogLevel.WARN,
  );
  const { BatchSpanProcessor, NodeTracerProvider, ConsoleSpanExporter, SimpleSpanProcessor } =
    await import("@opentelemetry/sdk-trace-node");
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = await import(
    "@opentelemetry/resources"
  );
  const ours = resourceFromAttributes({ "service.name": "dt-server", "service.version": version });
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(ours)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [
      name === "console"
        ? new SimpleSpanProcessor(new ConsoleSpanExporter())
        : new BatchSpanProcessor(await openOtlp(protocolOf(variables))),
    ],
  });
  provider.register();
  return {
    async close() {
      const sent = provider.shutdown().catch(onProblem);
      await Promise.race([sent, setTimeout(FAREWELL_MS, undefined, { ref: false })]);
    },
  };
}

function exporterOf(variables: Variables): "none" | "otlp" | "console" {
  if (variables.OTEL_SDK_DISABLED?.toLowerCase() === "true") return "none";
  const isAimed =
    variables.OTEL_EXPORTER_OTLP_ENDPOINT || variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const named = variables.OTEL_TRACES_EXPORTER || (isAimed ? "otlp" : "none");
  if (named === "none" || named === "otlp" || named === "console") return named;
  throw new SetupError(`OTEL_TRACES_EXPORTER: expected otlp, console or none, got ${named}`);
}

function protocolOf(variables: Variables): (typeof protocols)[number] {
  const named =
    variables.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ||
    variables.OTEL_EXPORTER_OTLP_PROTOCOL ||
    "http/protobuf";
  const found = protocols.find((protocol) => protocol === named);
  if (found !== undefined) return found;
  throw new SetupError(
    `OTEL_EXPORTER_OTLP_PROTOCOL: expected ${protocols.join(" or ")}, got ${named}`,
  );
}

async function openOtlp(protocol: (typeof protocols)[number]) {
  const { OTLPTraceExporter } =
    protocol === "http/json"
      ? await import("@opentelemetry/exporter-trace-otlp-http")
      : await import("@opentelemetry/exporter-trace-otlp-proto");
  return new OTLPTraceExporter();
}
