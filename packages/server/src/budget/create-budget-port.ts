import { randomUUID } from "node:crypto";
import type { BudgetLimits, BudgetPort, BudgetUse } from "@dt/schema";
import type { Clock } from "../clock.js";
import type { Metrics } from "../metrics/metrics.js";
import {
  type BudgetStore,
  dayAccount,
  type LimitedAccount,
  sessionAccount,
} from "../store/budgets/budget-store.js";
import type { SessionRecord } from "../store/session-store.js";

/** Options of {@link createBudgetPort}. */
export interface BudgetPortOptions {
  readonly store: BudgetStore;
  readonly clock: Pick<Clock, "now">;
  readonly metrics?: Pick<Metrics, "budgetRefused"> | undefined;
  /**
   * Called if the tokens and money that a call of a model has used cannot be stored. The reservation of the call then
   * counts as used.
   */
  onFault(reason: unknown): void;
}

/** Creates the budgets of a session, in the accounts of the session and of its owner. */
export function createBudgetPort(
  { contextId, owner }: Pick<SessionRecord, "contextId" | "owner">,
  { store, clock, metrics, onFault }: BudgetPortOptions,
): BudgetPort {
  const today = () => clock.now().toISOString().slice(0, 10);

  function accountsOf(limits: BudgetLimits, day: string): readonly LimitedAccount[] {
    return [
      toAccount(sessionAccount(contextId), limits.sessionTokens, limits.sessionNanos),
      toAccount(dayAccount(day, owner), limits.dayTokens, limits.dayNanos),
    ];
  }

  return {
    owner,
    async reserve({ limits, ...request }) {
      const at = clock.now().toISOString();
      const day = at.slice(0, 10);
      const reservationId = randomUUID();
      const accounts = accountsOf(limits, day);
      const outcome = await store.reserveBudget({ ...request, id: reservationId, accounts, at });
      if (outcome.type === "granted")
        return { type: "granted", reservationId, output: outcome.output };
      const { account, unit, used, limit, needed } = outcome;
      const scope = account === sessionAccount(contextId) ? "session" : "day";
      metrics?.budgetRefused({ scope, unit: unit === "nanos" ? "money" : "tokens" });
      return { type: "refused", use: toUse({ scope, unit, used, limit }, day), needed };
    },
    async settle(reservationId, used) {
      await store.settleBudget(reservationId, used).catch(onFault);
    },
    async readUse(limits) {
      const day = today();
      const accounts = accountsOf(limits, day);
      const uses = await store.readBudgets(accounts.map(({ account }) => account));
      return (["session", "day"] as const).flatMap((scope, index) =>
        (["tokens", "nanos"] as const).flatMap((unit) => {
          const limit = accounts[index]?.[unit];
          const used = uses[index]?.[unit] ?? 0;
          return limit === undefined ? [] : [toUse({ scope, unit, used, limit }, day)];
        }),
      );
    },
  };
}

function toUse(use: Omit<BudgetUse, "day">, day: string): BudgetUse {
  return use.scope === "day" ? { ...use, day } : use;
}

function toAccount(
  account: string,
  tokens: number | undefined,
  nanos: number | undefined,
): LimitedAccount {
  return {
    account,
    ...(tokens !== undefined && { tokens }),
    ...(nanos !== undefined && { nanos }),
  };
}
