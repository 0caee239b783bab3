import { type BudgetDecision, type BudgetUse, toCost } from "@dt/schema";

/** Share of a limit at which a session warns. */
const WARNED_SHARE = 0.8;

/** Says why a call was not made, and how to go on. */
export function describeRefusal({ use, needed }: BudgetDecision & { type: "refused" }): string {
  const { unit, used, limit } = use;
  const [have, need] = [amountOf(unit, used), amountOf(unit, needed)];
  return `${nameOf(use)} is ${withUnit(unit, limit)}, of which ${have} are used or reserved, and the next call of the model needs at least ${need}; ${needed > limit ? adviceIfTooLow(use) : adviceOf(use)}`;
}

/** Says why a turn was stopped or not started, and how to go on. */
export function describeExceeded(use: BudgetUse): string {
  const { unit, used, limit } = use;
  return `${nameOf(use)} is ${withUnit(unit, limit)}, of which ${amountOf(unit, used)} are used or reserved; ${adviceOf(use)}`;
}

/**
 * Returns a warning for each limit of which 80 % are used. The text does not contain the used amount, so that a
 * session can recognise and omit a repeated warning.
 */
export function describeWarnings(uses: readonly BudgetUse[]): readonly string[] {
  return uses
    .filter(({ used, limit }) => used >= limit * WARNED_SHARE)
    .map(
      (use) =>
        `80 % of ${nameOf(use)} of ${withUnit(use.unit, use.limit)} are used; beyond it, ${adviceOf(use)}`,
    );
}

/** Describes the use of a limit, for `/stats`. */
export function describeUse(use: BudgetUse): string {
  const { scope, unit, used, limit, day } = use;
  const of = scope === "session" ? "this session" : `${day} (UTC)`;
  return `budget of ${of}: ${amountOf(unit, used)} of ${withUnit(unit, limit)}`;
}

function nameOf({ scope, day }: BudgetUse): string {
  return scope === "session" ? "the budget of this session" : `the owner's budget of ${day} (UTC)`;
}

function adviceOf(use: BudgetUse): string {
  const next = use.scope === "session" ? "start a new session" : "go on after midnight UTC";
  return `${next}, or raise ${keyOf(use)} in the settings`;
}

function keyOf({ scope, unit }: BudgetUse): string {
  return `budget.${scope}${unit === "tokens" ? "Tokens" : "Cost"}`;
}

/** Says how to go on if one call needs more than the whole limit. */
function adviceIfTooLow(use: BudgetUse): string {
  const { scope, used } = use;
  // Earlier calls of this session fitted into the limit, so the calls of a new session can fit too.
  if (scope === "session" && used > 0) return adviceOf(use);
  const useless = scope === "session" ? "a new session does not help" : "waiting does not help";
  return `one call needs more than the whole budget, so ${useless}; raise ${keyOf(use)} in the settings, or send a shorter prompt`;
}

function withUnit(unit: BudgetUse["unit"], value: number): string {
  return unit === "tokens" ? `${value} tokens` : `${amountOf(unit, value)} USD`;
}

function amountOf(unit: BudgetUse["unit"], value: number): string {
  return unit === "tokens" ? String(value) : toCost(Math.max(0, value)).amount;
}
