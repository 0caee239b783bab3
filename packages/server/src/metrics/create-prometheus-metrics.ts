import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Gauges, Metrics } from "./metrics.js";

/** How many tools are told apart; the names come from MCP servers too, and a page must not grow with them. */
const MAX_TOOLS = 100;
const MAX_MODELS = 50;

/** Counts in this process, for Prometheus to collect at `/metrics`. */
export function createPrometheusMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const counter = <TLabel extends string>(name: string, help: string, labelNames: TLabel[] = []) =>
    new Counter({ name: `dt_${name}`, help, labelNames, registers });
  const histogram = <TLabel extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: TLabel[] = [],
  ) => new Histogram({ name: `dt_${name}`, help, buckets, labelNames, registers });

  const events = counter("events_total", "Committed events, by kind", ["kind"]);
  const turns = counter("turns_total", "Turns that ended, by state", ["state"]);
  const turnSeconds = histogram(
    "turn_seconds",
    "How long turns took, their questions included",
    [0.1, 0.5, 1, 5, 15, 60, 300, 1_800],
  );
  const toolCalls = counter("tool_calls_total", "Tool calls that ended, by tool and status", [
    "tool",
    "status",
  ]);
  const toolSeconds = histogram(
    "tool_call_seconds",
    "How long tools ran, by tool",
    [0.01, 0.1, 1, 10, 60, 600],
    ["tool"],
  );
  const questions = counter("questions_total", "Questions that were answered, by option", [
    "option",
  ]);
  const questionSeconds = histogram(
    "question_seconds",
    "How long questions waited for their answer",
    [1, 5, 15, 60, 300, 3_600, 28_800, 86_400],
  );
  const tokens = counter("model_tokens_total", "Tokens, as models counted them", ["model", "type"]);
  const commits = counter("store_commits_total", "Commits of the store, by outcome", ["outcome"]);
  const appends = counter("store_appends_total", "Appends of sessions in those commits");
  const commitSeconds = histogram(
    "store_commit_seconds",
    "How long a commit took",
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1],
  );
  const calls = counter("calls_total", "Calls of methods, by outcome", [
    "operation",
    "version",
    "outcome",
  ]);
  const callSeconds = histogram(
    "call_seconds",
    "How long a method took to answer, or its stream to begin",
    [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    ["operation"],
  );
  const pushes = counter("pushes_total", "Calls to receivers, by outcome", ["outcome"]);
  const pushSeconds = histogram(
    "push_seconds",
    "How long a receiver took to answer",
    [0.01, 0.05, 0.25, 1, 5, 15],
  );
  const gauges = createGauges(registers);
  const toolName = createNames(MAX_TOOLS);
  const modelName = createNames(MAX_MODELS);
  const eventKinds = new Map<string, { inc(): void }>();

  return {
    eventCommitted(kind) {
      // The one that is called for every event: looking its label up each time would be dear.
      let known = eventKinds.get(kind);
      if (known === undefined) {
        known = events.labels(kind);
        eventKinds.set(kind, known);
      }
      known.inc();
    },
    turnEnded({ state, seconds }) {
      turns.inc({ state });
      if (seconds !== undefined) turnSeconds.observe(seconds);
    },
    toolCallEnded({ tool, status, seconds }) {
      const name = toolName(tool);
      toolCalls.inc({ tool: name, status });
      if (seconds !== undefined) toolSeconds.observe({ tool: name }, seconds);
    },
    questionAnswered({ option, seconds }) {
      questions.inc({ option });
      if (seconds !== undefined) questionSeconds.observe(seconds);
    },
    tokensUsed: ({ model, type, count }) => tokens.inc({ model: modelName(model), type }, count),
    groupCommitted({ appends: count, seconds, isStored }) {
      commits.inc({ outcome: isStored ? "stored" : "refused" });
      appends.inc(count);
      commitSeconds.observe(seconds);
    },
    callAnswered({ operation, version, outcome, seconds }) {
      calls.inc({ operation, version, outcome });
      callSeconds.observe({ operation }, seconds);
    },
    pushed({ outcome, ms }) {
      pushes.inc({ outcome: outcome === "gaveUp" ? "gave_up" : outcome });
      pushSeconds.observe(ms / 1_000);
    },
    async page(values) {
      gauges.set(values);
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

const gaugeNames: Readonly<Record<keyof Gauges, readonly [name: string, help: string]>> = {
  sessionsInMemory: ["sessions_in_memory", "Sessions that are in memory"],
  turnsRunning: ["turns_running", "Sessions in which a turn runs"],
  promptsWaiting: ["prompts_waiting", "Prompts that wait because too many turns run"],
  promptsQueued: ["prompts_queued", "Prompts that wait for the turn before them"],
  observers: ["observers", "Streams and sockets that follow a session"],
  observerLag: ["observer_lag_events", "Events that the observer who lags most has not read"],
  sockets: ["websockets", "WebSockets that are open"],
  pushesPending: ["pushes_pending", "Receivers that have something to be told"],
  activeTasks: ["tasks_active", "Tasks that are submitted or working"],
  totalTasks: ["tasks", "Tasks that are kept"],
};

function createGauges(registers: Registry[]) {
  const keys = Object.keys(gaugeNames) as (keyof Gauges)[];
  const known = keys.map((key) => {
    const [name, help] = gaugeNames[key];
    return [key, new Gauge({ name: `dt_${name}`, help, registers })] as const;
  });
  return {
    set(values: Gauges) {
      for (const [key, gauge] of known) gauge.set(values[key]);
    },
  };
}

/** The first so many names as they are, all others as one. */
function createNames(most: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= most) return "other";
    known.add(name);
    return name;
  };
}
