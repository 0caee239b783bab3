import { setTimeout } from "node:timers/promises";
import { SetupError } from "@dt/server";
import { DiagLogLevel, diag } from "@opentelemetry/api";
import { SERVER_VERSION } from "./server-version.js";
import type { ServerEnvironment } from "./variables/variables.js";

/** Tracing that is running. */
export interface Tracing {
  /** Sends the last spans; gives up after a short time if the collector does not answer. */
  close(): Promise<void>;
}

/** Maximum time for sending the last spans. */
const LAST_SPANS_MS = 2_000;

const PROTOCOLS = ["http/protobuf", "http/json"] as const;

/**
 * Starts tracing if the variables of OpenTelemetry enable it; otherwise loads nothing. OpenTelemetry itself
 * reads the address, the sampler and the service name from these variables.
 */
export async function startTracing(
  variables: ServerEnvironment,
  onProblem: (problem: unknown) => void,
): Promise<Tracing | undefined> {
  const name = exporterOf(variables);
  if (name === "none") return undefined;
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
  const ours = resourceFromAttributes({
    "service.name": "dt-server",
    "service.version": SERVER_VERSION,
  });
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
      await Promise.race([sent, setTimeout(LAST_SPANS_MS, undefined, { ref: false })]);
    },
  };
}

function exporterOf(variables: ServerEnvironment): "none" | "otlp" | "console" {
  if (variables.OTEL_SDK_DISABLED?.toLowerCase() === "true") return "none";
  const endpoint =
    variables.OTEL_EXPORTER_OTLP_ENDPOINT || variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const named = variables.OTEL_TRACES_EXPORTER || (endpoint ? "otlp" : "none");
  if (named === "none" || named === "otlp" || named === "console") return named;
  throw new SetupError(`OTEL_TRACES_EXPORTER: expected otlp, console or none, got ${named}`);
}

function protocolOf(variables: ServerEnvironment): (typeof PROTOCOLS)[number] {
  const variable = variables.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL
    ? "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
    : "OTEL_EXPORTER_OTLP_PROTOCOL";
  const named = variables[variable] || "http/protobuf";
  const found = PROTOCOLS.find((protocol) => protocol === named);
  if (found !== undefined) return found;
  throw new SetupError(`${variable}: expected ${PROTOCOLS.join(" or ")}, got ${named}`);
}

async function openOtlp(protocol: (typeof PROTOCOLS)[number]) {
  const { OTLPTraceExporter } =
    protocol === "http/json"
      ? await import("@opentelemetry/exporter-trace-otlp-http")
      : await import("@opentelemetry/exporter-trace-otlp-proto");
  return new OTLPTraceExporter();
}
