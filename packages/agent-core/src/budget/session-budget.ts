import type { BudgetLimits, BudgetPort, BudgetUse } from "@dt/schema";
import type { AcceptedPrompt } from "../record/session-state.js";
import { type BudgetSettings, limitsOfTier } from "../settings/budget/budget-settings.js";

/** The budgets of a session, as its settings limit them. */
export interface SessionBudget {
  readonly port: BudgetPort;
  /** Output tokens that one reply may have; undefined if the model decides. */
  readonly replyTokens: number | undefined;
  /** Returns the limits that apply to a prompt; undefined if there are none. */
  limitsFor(prompt: Pick<AcceptedPrompt, "origin" | "tier"> | undefined): BudgetLimits | undefined;
  /** Reads the use of the limits that applied last. */
  readUse(): Promise<readonly BudgetUse[]>;
  /** The use as it was read last. */
  readonly lastUse: readonly BudgetUse[];
}

/** Creates the budgets of a session. Returns undefined if the settings limit nothing. */
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
      // Others may prompt in a shared session. Its owner pays, and the tier of another user is not that of the owner.
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
