import { type ExternalUsage, toCost, type UsageReport } from "@dt/schema";
import type { Model } from "../model/model.js";
import type { SessionState } from "./session-state.js";

/** Builds the report of tokens and cost, for the running turn and for the session. */
export function toUsageReport(
  { turn, totals, contextTokens }: Pick<SessionState, "turn" | "totals" | "contextTokens">,
  { contextTokens: contextLimit = 0 }: Pick<Model, "contextTokens">,
): UsageReport {
  return {
    turn: turn?.usage,
    session: totals.usage,
    contextTokens,
    contextLimit,
    ...(turn?.costNanos !== undefined && { turnCost: toCost(turn.costNanos) }),
    ...(totals.costNanos !== undefined && { sessionCost: toCost(totals.costNanos) }),
  };
}

/** Builds the report for an external agent. The context and cost that the agent reports replace our own figures. */
export function toExternalReport(
  state: Pick<SessionState, "turn" | "totals" | "contextTokens">,
  reported: ExternalUsage | undefined,
): UsageReport {
  const { contextTokens = 0, contextLimit = 0, cost } = reported ?? {};
  const report = toUsageReport(state, { contextTokens: contextLimit });
  return { ...report, contextTokens, ...(cost !== undefined && { sessionCost: cost }) };
}
