import { Counter, Histogram, type Registry } from "prom-client";

/** The counters and histograms of {@link createMeters}. */
export type Meters = ReturnType<typeof createMeters>;

/** Registers the counters and histograms of a server. */
export function createMeters(registers: Registry[]) {
  const counter = <TLabel extends string>(name: string, help: string, labelNames: TLabel[] = []) =>
    new Counter({ name: `dt_${name}`, help, labelNames, registers });
  const histogram = <TLabel extends string>(
    name: string,
    help: string,
    { buckets, labelNames = [] }: { buckets: number[]; labelNames?: TLabel[] },
  ) => new Histogram({ name: `dt_${name}`, help, buckets, labelNames, registers });

  return {
    events: counter("events_total", "Committed events, by kind", ["kind"]),
    turns: counter("turns_total", "Turns that ended, by state", ["state"]),
    turnSeconds: histogram("turn_seconds", "Duration of turns, including the wait for answers", {
      buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 1_800],
    }),
    toolCalls: counter("tool_calls_total", "Tool calls that ended, by tool and status", [
      "tool",
      "status",
    ]),
    toolSeconds: histogram("tool_call_seconds", "Duration of tool calls, by tool", {
      buckets: [0.01, 0.1, 1, 10, 60, 600],
      labelNames: ["tool"],
    }),
    questions: counter("questions_total", "Questions that ended, by option", ["option"]),
    questionSeconds: histogram("question_seconds", "Time from a question to its answer", {
      buckets: [1, 5, 15, 60, 300, 3_600, 28_800, 86_400],
    }),
    tokens: counter("model_tokens_total", "Tokens, as models counted them", ["model", "type"]),
    commits: counter("store_commits_total", "Commits of the store, by outcome", ["outcome"]),
    appends: counter("store_appends_total", "Appends of sessions, grouped into commits"),
    commitSeconds: histogram("store_commit_seconds", "Duration of commits", {
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1],
    }),
    calls: counter("calls_total", "Calls of methods, by outcome", [
      "operation",
      "version",
      "outcome",
    ]),
    callSeconds: histogram("call_seconds", "Time until a method is answered or its stream begins", {
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
      labelNames: ["operation"],
    }),
    ownerTokens: counter("owner_tokens_total", "Tokens, by the user who owns the session", [
      "user",
    ]),
    ownerCost: counter("owner_cost_dollars_total", "Cost of models with a price, by owner", [
      "user",
    ]),
    budgetRefusals: counter("budget_refusals_total", "Calls of models that a budget refused", [
      "scope",
      "unit",
    ]),
    rateLimited: counter("rate_limited_total", "Requests that a limit per minute refused", [
      "limit",
    ]),
    pushes: counter("pushes_total", "Calls to receivers, by outcome", ["outcome"]),
    pushSeconds: histogram("push_seconds", "Time until a receiver answers", {
      buckets: [0.01, 0.05, 0.25, 1, 5, 15],
    }),
  };
}
