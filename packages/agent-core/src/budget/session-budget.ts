import type { BudgetLimits, BudgetPort, BudgetUse } from "@dt/schema";
import type { AcceptedPrompt } from "../record/session-state.js";
import { type BudgetSettings, limitsOfTier } from "../settings/budget/budget-settings.js";

/** The limits in a session's settings, and the port that counts their use. */
export interface SessionBudget {
  readonly port: BudgetPort;
  /** Maximum number of output tokens of one reply; undefined if the settings contain no maximum. */
  readonly replyTokens: number | undefined;
  /** Returns the limits that apply to a prompt; undefined if there are none. */
  limitsFor(prompt: Pick<AcceptedPrompt, "origin" | "tier"> | undefined): BudgetLimits | undefined;
  /**
   * Reads the use of the limits that `limitsFor` returned last. Before the first call of `limitsFor`, reads the
   * use of the limits without a tier. The list is empty if there are no limits.
   */
  readUse(): Promise<readonly BudgetUse[]>;
  /** The result of the last `readUse`; empty before the first call. */
  readonly lastUse: readonly BudgetUse[];
}

/**
 * Creates the budgets of a session. Returns undefined if there is no port, or if the settings limit neither
 * tokens nor money, not even for a tier. The limit `replyTokens` alone is not a budget.
 */
export function createSessionBudget(
  port: BudgetPort | undefined,
  settings: BudgetSettings = {},
): SessionBudget | undefined {
  const { tiers = {}, replyTokens } = settings;
  const all = [undefined, ...Object.keys(tiers)].map((tier) => toLimits(settings, tier));
  if (port === undefined || all.every((limits) => limits === undefined)) return undefined;
  let limits = toLimits(settings, undefined);
  let lastUse: readonly BudgetUse[] = [];
  return {
    port,
    replyTokens,
    limitsFor(prompt) {
      // In a shared session, other users prompt too. The owner pays for their prompts, so their tier does not apply.
      const isOwner = prompt?.origin.principal === port.owner;
      limits = toLimits(settings, isOwner ? prompt?.tier : undefined);
      return limits;
    },
    async readUse() {
      lastUse = limits === undefined ? [] : await port.readUse(limits);
      return lastUse;
    },
    get lastUse() {
      return lastUse;
    },
  };
}

const NANOS = 1_000_000_000;

function toLimits(settings: BudgetSettings, tier: string | undefined): BudgetLimits | undefined {
  const { sessionTokens, sessionCost, dayTokens, dayCost } = limitsOfTier(settings, tier);
  const limits: BudgetLimits = {
    ...(sessionTokens !== undefined && { sessionTokens }),
    ...(sessionCost !== undefined && { sessionNanos: Math.round(sessionCost * NANOS) }),
    ...(dayTokens !== undefined && { dayTokens }),
    ...(dayCost !== undefined && { dayNanos: Math.round(dayCost * NANOS) }),
  };
  return Object.keys(limits).length === 0 ? undefined : limits;
}
