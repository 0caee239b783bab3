import type { BudgetAmount, ExternalUsage, Usage } from "@dt/schema";
import { openReportedBudget } from "../budget/reported-budget.js";
import type { SessionBudget } from "../budget/session-budget.js";
import { costNanosOf, type ModelPrice } from "../model/model-price.js";
import { toExternalReport } from "../record/usage-report.js";
import { announceWarnings } from "../record/warning-records.js";
import type { ExternalScope } from "./external-scope.js";

/** Counts the tokens and the cost that an external agent reports for one turn. */
export interface TurnUsage {
  /** Counts a report during the turn. Stops the turn if a budget is used up. */
  note(usage: ExternalUsage): Promise<void>;
  /** Commits the text, tokens and cost of the turn. Counts the tokens and the cost against the budgets. */
  end(reply: { readonly text: string; readonly usage: Usage | undefined }): Promise<void>;
  /** Reason why a budget stopped the turn; undefined if none did. */
  readonly stopped: string | undefined;
}

/** Options of {@link openTurnUsage}. */
export interface TurnUsageOptions {
  readonly budget: SessionBudget | undefined;
  /** Returns the price of the agent's model; undefined if it is not known. */
  price(): ModelPrice | undefined;
  readonly modelName: () => string;
  /** Stops the turn. */
  stop(): void;
}

const NANOS = 1_000_000_000;

/** Starts to count what a turn uses. Throws if a budget is used up already. */
export async function openTurnUsage(
  { recorder, agentName }: Pick<ExternalScope, "recorder" | "agentName">,
  { budget, price, modelName, stop }: TurnUsageOptions,
): Promise<TurnUsage> {
  const limits = budget?.limitsFor(recorder.state.turn?.prompt);
  const announce = (warnings: readonly string[]) => announceWarnings(recorder, warnings);
  const open = budget && limits && (await openReportedBudget({ budget, limits, announce }));
  const costBefore = recorder.state.external?.reportedNanos ?? 0;
  let last: ExternalUsage | undefined;
  let contextTokens = 0;
  let reportedNanos: number | undefined;
  let stopped: string | undefined;

  /** Returns the cost of the turn: the growth of the agent's own sum, or else the price of its tokens. */
  function costOf(usage: Usage | undefined): number | undefined {
    if (reportedNanos !== undefined && reportedNanos > 0) {
      // The agent's sum starts at 0 when the agent restarts. If the sum is now smaller than before the turn,
      // all of it belongs to this turn.
      return reportedNanos >= costBefore ? reportedNanos - costBefore : reportedNanos;
    }
    const known = price();
    return usage && known && costNanosOf(usage, known);
  }

  function amountOf(usage: Usage | undefined): BudgetAmount {
    const { inputTokens = 0, outputTokens = 0, thoughtTokens = 0 } = usage ?? {};
    // The model has read the whole context at least once, even if the agent reports fewer tokens or none.
    const tokens = Math.max(contextTokens, inputTokens + outputTokens + thoughtTokens);
    return { tokens, nanos: costOf(usage) ?? 0 };
  }

  return {
    async note(usage) {
      last = usage;
      contextTokens = Math.max(contextTokens, usage.contextTokens);
      if (usage.cost?.currency === "USD") {
        reportedNanos = Math.round(Number(usage.cost.amount) * NANOS);
      }
      if (stopped !== undefined) return;
      stopped = await open?.count(amountOf(undefined));
      if (stopped !== undefined) stop();
    },
    async end({ text, usage }) {
      const costNanos = costOf(usage);
      const isReported = usage !== undefined || costNanos !== undefined;
      await recorder.commit({
        journal: [
          {
            type: "external-replied",
            text,
            ...(usage !== undefined && { usage }),
            ...(costNanos !== undefined && { costNanos }),
            ...(reportedNanos !== undefined && { reportedNanos }),
          },
        ],
        announce: (state) =>
          isReported ? [{ kind: "USAGE", report: toExternalReport(state, last) }] : [],
      });
      await open?.close(amountOf(usage));
      const isMoneyLimited = limits?.sessionNanos !== undefined || limits?.dayNanos !== undefined;
      if (isMoneyLimited && costNanos === undefined) {
        await announce([
          `${agentName} reports no cost, and the price of ${modelName()} is not known, so its cost is not limited; add the price under prices in the settings`,
        ]);
      }
    },
    get stopped() {
      return stopped;
    },
  };
}
