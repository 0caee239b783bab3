import type { BudgetAmount, BudgetLimits } from "@dt/schema";
import { ModelError } from "../model/model.js";
import { describeExceeded, describeWarnings } from "./describe-budget.js";
import type { SessionBudget } from "./session-budget.js";

/** Counts one turn of an external agent against the budgets. The agent asks its model and reports what it uses. */
export interface ReportedBudget {
  /** Counts the use of the turn so far. Returns the reason to stop the turn if a limit is reached. */
  count(total: BudgetAmount): Promise<string | undefined>;
  /** Counts the use of the whole turn. Call it once, after the turn has ended. */
  close(total: BudgetAmount): Promise<void>;
}

/** Options of {@link openReportedBudget}. */
export interface ReportedBudgetOptions {
  readonly budget: SessionBudget;
  readonly limits: BudgetLimits;
  /** Announces warnings; a warning that was announced before is left out. */
  announce(warnings: readonly string[]): Promise<void>;
}

const NOTHING: BudgetAmount = { tokens: 0, nanos: 0 };

/** Opens the budgets of a turn. Throws if a limit is reached already. */
export async function openReportedBudget(options: ReportedBudgetOptions): Promise<ReportedBudget> {
  const { budget, limits, announce } = options;
  let counted = NOTHING;
  const reserve = (input: BudgetAmount) =>
    // One output token is added. Without it, a request that reaches a limit exactly would be granted.
    budget.port.reserve({ limits, input, leastOutput: 1, mostOutput: 1, outputNanos: 1 });
  // This reservation is refused if a limit is reached already. `close` settles the reservation with the use
  // that `count` missed.
  const turn = await reserve(NOTHING);
  if (turn.type === "refused") throw new ModelError(describeExceeded(turn.use));

  return {
    async count(total) {
      const more = moreThan(counted, total);
      if (more.tokens === 0 && more.nanos === 0) return undefined;
      const decision = await reserve(more);
      if (decision.type === "refused") return describeExceeded(decision.use);
      counted = { tokens: counted.tokens + more.tokens, nanos: counted.nanos + more.nanos };
      await budget.port.settle(decision.reservationId, more);
      await announce(describeWarnings(await budget.readUse()));
      return undefined;
    },
    async close(total) {
      await budget.port.settle(turn.reservationId, moreThan(counted, total));
      await announce(describeWarnings(await budget.readUse()));
    },
  };
}

function moreThan(counted: BudgetAmount, total: BudgetAmount): BudgetAmount {
  return {
    tokens: Math.max(0, total.tokens - counted.tokens),
    nanos: Math.max(0, total.nanos - counted.nanos),
  };
}
