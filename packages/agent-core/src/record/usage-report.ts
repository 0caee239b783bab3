import { toCost, type UsageReport } from "@dt/schema";
import type { Model } from "../model/model.js";
import type { SessionState } from "./session-state.js";

/** Builds the report of tokens and cost, for the running turn and for the session. */
export function toUsageReport(
  { turn, totals, contextTokens }: SessionState,
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
