import type { BudgetAmount, BudgetUse } from "@dt/schema";
import type { RefusedReservation, ReservationRequest } from "./budget-store.js";

/** A granted reservation with its amount, or the limit that it would cross. */
export type ReservationPlan =
  | { readonly type: "granted"; readonly output: number; readonly amount: BudgetAmount }
  | RefusedReservation;

/**
 * Plans a reservation: the largest output that fits into all limits, between the least and the most that the call can
 * use. `uses` has the use of each account of the request. Pure, so that every store decides in the same way.
 */
export function planReservation(
  request: ReservationRequest,
  uses: readonly BudgetAmount[],
): ReservationPlan {
  const { leastOutput, mostOutput } = request;
  let output = Math.max(leastOutput, mostOutput);
  for (const { account, unit, used, limit } of limitsOf(request, uses)) {
    const needed = amountOf(request, leastOutput)[unit];
    if (used + needed > limit) return { type: "refused", account, unit, used, limit, needed };
    output = Math.min(output, largestOutput(request, unit, limit - used));
  }
  return { type: "granted", output, amount: amountOf(request, output) };
}

/** Returns the amount of a call with this output. */
function amountOf({ input, outputNanos }: ReservationRequest, output: number): BudgetAmount {
  return {
    tokens: input.tokens + output,
    nanos: Math.ceil(input.nanos + output * outputNanos),
  };
}

/** Returns the largest output whose call fits into what is left of a limit. */
function largestOutput(
  { input, leastOutput, outputNanos }: ReservationRequest,
  unit: BudgetUse["unit"],
  left: number,
): number {
  const price = unit === "tokens" ? 1 : outputNanos;
  if (price === 0) return Number.POSITIVE_INFINITY;
  return Math.max(leastOutput, Math.floor((left - input[unit]) / price));
}

function limitsOf({ accounts }: ReservationRequest, uses: readonly BudgetAmount[]) {
  return accounts.flatMap((account, index) =>
    (["tokens", "nanos"] as const).flatMap((unit) => {
      const limit = account[unit];
      if (limit === undefined) return [];
      return [{ account: account.account, unit, used: uses[index]?.[unit] ?? 0, limit }];
    }),
  );
}
