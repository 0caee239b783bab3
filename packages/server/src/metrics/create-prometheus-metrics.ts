import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Gauges, Metrics } from "./metrics.js";
import { createMeters, type Meters } from "./prometheus-meters.js";

/** Maximum number of tool names in labels; further tools are labelled "other". MCP servers may have many tools. */
const MAX_TOOLS = 100;
const MAX_MODELS = 50;
/** Maximum number of users in labels; further users are labelled "other". */
const MAX_USERS = 500;

/** Creates metrics of this process, which Prometheus collects at `/metrics`. */
export function createPrometheusMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const meters = createMeters(registers);
  const gauges = createGauges(registers);
  return {
    ...createSessionMetrics(meters),
    ...createServerMetrics(meters),
    async page(values) {
      gauges.set(values);
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

type SessionMetrics = Pick<
  Metrics,
  "eventCommitted" | "turnEnded" | "toolCallEnded" | "questionAnswered" | "tokensUsed"
>;

function createSessionMetrics(meters: Meters): SessionMetrics {
  const toolName = createNameLimit(MAX_TOOLS);
  const modelName = createNameLimit(MAX_MODELS);
  const eventKinds = new Map<string, { inc(): void }>();
  return {
    eventCommitted(kind) {
      // The counter of each kind is cached, because a lookup by label for every event is slow.
      let known = eventKinds.get(kind);
      if (known === undefined) {
        known = meters.events.labels(kind);
        eventKinds.set(kind, known);
      }
      known.inc();
    },
    turnEnded({ state, seconds }) {
      meters.turns.inc({ state });
      if (seconds !== undefined) meters.turnSeconds.observe(seconds);
    },
    toolCallEnded({ tool, status, seconds }) {
      const name = toolName(tool);
      meters.toolCalls.inc({ tool: name, status });
      if (seconds !== undefined) meters.toolSeconds.observe({ tool: name }, seconds);
    },
    questionAnswered({ option, seconds }) {
      meters.questions.inc({ option });
      if (seconds !== undefined) meters.questionSeconds.observe(seconds);
    },
    tokensUsed({ model, type, count }) {
      meters.tokens.inc({ model: modelName(model), type }, count);
    },
  };
}

type ServerMetrics = Pick<
  Metrics,
  "groupCommitted" | "callAnswered" | "rateLimited" | "budgetRefused" | "ownerCharged" | "pushed"
>;

function createServerMetrics(meters: Meters): ServerMetrics {
  const userName = createNameLimit(MAX_USERS);
  return {
    groupCommitted({ appends, seconds, isStored }) {
      meters.commits.inc({ outcome: isStored ? "stored" : "refused" });
      meters.appends.inc(appends);
      meters.commitSeconds.observe(seconds);
    },
    callAnswered({ operation, version, outcome, seconds }) {
      meters.calls.inc({ operation, version, outcome });
      meters.callSeconds.observe({ operation }, seconds);
    },
    budgetRefused({ scope, unit }) {
      meters.budgetRefusals.inc({ scope, unit });
    },
    ownerCharged({ user, tokens = 0, dollars = 0 }) {
      const label = { user: userName(user) };
      if (tokens > 0) meters.ownerTokens.inc(label, tokens);
      if (dollars > 0) meters.ownerCost.inc(label, dollars);
    },
    rateLimited(limit) {
      meters.rateLimited.inc({ limit });
    },
    pushed({ outcome, ms }) {
      meters.pushes.inc({ outcome: outcome === "gaveUp" ? "gave_up" : outcome });
      meters.pushSeconds.observe(ms / 1_000);
    },
  };
}

const GAUGE_NAMES: Readonly<Record<keyof Gauges, readonly [name: string, help: string]>> = {
  sessionsInMemory: ["sessions_in_memory", "Sessions that are in memory"],
  turnsRunning: ["turns_running", "Sessions in which a turn runs"],
  promptsWaiting: ["prompts_waiting", "Prompts that wait because too many turns run"],
  promptsQueued: ["prompts_queued", "Prompts that wait for the turn before them"],
  subscribers: ["subscribers", "Streams and sockets that subscribe to a session"],
  subscriberLag: ["subscriber_lag_events", "Events that the slowest subscriber has not read"],
  sockets: ["websockets", "WebSockets that are open"],
  pushesPending: ["pushes_pending", "Push configs with something to deliver"],
  activeTasks: ["tasks_active", "Tasks that are submitted or working"],
  totalTasks: ["tasks", "Tasks in the store"],
};

function createGauges(registers: Registry[]) {
  const keys = Object.keys(GAUGE_NAMES) as (keyof Gauges)[];
  const known = keys.map((key) => {
    const [name, help] = GAUGE_NAMES[key];
    return [key, new Gauge({ name: `dt_${name}`, help, registers })] as const;
  });
  return {
    set(values: Gauges) {
      for (const [key, gauge] of known) gauge.set(values[key]);
    },
  };
}

/** Creates a function that returns the first `max` different names unchanged, and "other" for every other name. */
function createNameLimit(max: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= max) return "other";
    known.add(name);
    return name;
  };
}
