import type { BudgetAmount } from "@dt/schema";
import {
  type BudgetStore,
  NO_USE,
  RESERVATION_MS,
  sessionAccount,
} from "../budgets/budget-store.js";
import { planReservation } from "../budgets/plan-reservation.js";

/** The budgets of a memory store. */
export interface MemoryBudgets {
  readonly store: BudgetStore;
  /** Deletes the account of a session. */
  deleteSession(contextId: string): void;
}

/** The amount that a call has reserved. */
export interface Reservation {
  readonly accounts: readonly string[];
  readonly amount: BudgetAmount;
  readonly at: string;
}

/** Uses by account, and reservations by id. */
export interface BudgetRecords {
  readonly uses: Map<string, BudgetAmount>;
  readonly reservations: Map<string, Reservation>;
}

/** Creates the budgets of a store that keeps them in memory. `checkOpen` throws if the store is closed. */
export function createMemoryBudgets(
  checkOpen: () => void,
  { uses, reservations }: BudgetRecords = { uses: new Map(), reservations: new Map() },
): MemoryBudgets {
  const useOf = (account: string) => uses.get(account) ?? NO_USE;

  function add(accounts: readonly string[], { tokens, nanos }: BudgetAmount): void {
    for (const account of accounts) {
      const use = useOf(account);
      uses.set(account, { tokens: use.tokens + tokens, nanos: use.nanos + nanos });
    }
  }

  function forgetBefore(at: string): void {
    const oldest = new Date(Date.parse(at) - RESERVATION_MS).toISOString();
    for (const [id, reservation] of reservations) {
      if (reservation.at < oldest) reservations.delete(id);
    }
  }

  return {
    store: {
      async reserveBudget(request) {
        checkOpen();
        const accounts = request.accounts.map(({ account }) => account);
        const plan = planReservation(request, accounts.map(useOf));
        if (plan.type === "refused") return plan;
        const { output, amount } = plan;
        forgetBefore(request.at);
        add(accounts, amount);
        reservations.set(request.id, { accounts, amount, at: request.at });
        return { type: "granted", output };
      },
      async settleBudget(id, used) {
        checkOpen();
        const reservation = reservations.get(id);
        if (reservation === undefined) return;
        reservations.delete(id);
        const { accounts, amount } = reservation;
        const change = { tokens: used.tokens - amount.tokens, nanos: used.nanos - amount.nanos };
        add(
          accounts.filter((account) => uses.has(account)),
          change,
        );
      },
      async readBudgets(accounts) {
        checkOpen();
        return accounts.map(useOf);
      },
    },
    deleteSession: (contextId) => void uses.delete(sessionAccount(contextId)),
  };
}
