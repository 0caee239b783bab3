import type { BudgetAmount } from "@dt/schema";
import {
  type BudgetStore,
  NO_USE,
  RESERVATION_MS,
  type ReservationOutcome,
} from "../../budgets/budget-store.js";
import { planReservation } from "../../budgets/plan-reservation.js";
import { checksumOf, withChecksum } from "../checksum.js";
import type { Integrity } from "../integrity/integrity.js";
import type { Row } from "../rows.js";
import type { Statements } from "../statements.js";

const TABLE = "budgets";

/** Options of {@link createSqliteBudgets}. */
export interface SqliteBudgetsOptions {
  /** Throws if the store is closed. */
  checkOpen(): void;
  readonly statements: Statements;
  readonly integrity: Pick<Integrity, "read" | "write">;
  /** Runs work as one transaction. A critical transaction also survives a loss of power. */
  transact(work: () => void, isCritical?: boolean): void;
}

/** Creates the methods of a SQLite store for budgets. */
export function createSqliteBudgets(options: SqliteBudgetsOptions): BudgetStore {
  const { checkOpen, statements, integrity, transact } = options;

  // Throws for a damaged row, so that a call that could cross the limit is not made.
  function readUse(account: string): BudgetAmount {
    const row = statements.readBudget.get(account) as Row | undefined;
    if (row === undefined) return NO_USE;
    const [tokens, nanos] = [Number(row.tokens), Number(row.nanos)];
    if (row.checksum !== checksumOf(TABLE, [account, tokens, nanos])) {
      throw new Error(`the budget ${account} is damaged in the store; restore it from a backup`);
    }
    return { tokens, nanos };
  }

  function add(accounts: readonly string[], { tokens, nanos }: BudgetAmount): void {
    for (const account of accounts) {
      const use = readUse(account);
      const columns = [account, use.tokens + tokens, use.nanos + nanos];
      statements.writeBudget.run(...withChecksum(TABLE, columns));
    }
  }

  return {
    async reserveBudget(request) {
      checkOpen();
      const accounts = request.accounts.map(({ account }) => account);
      let outcome: ReservationOutcome | undefined;
      const work = () => {
        const plan = planReservation(request, accounts.map(readUse));
        outcome = plan.type === "refused" ? plan : { type: "granted", output: plan.output };
        if (plan.type === "refused") return;
        const { tokens, nanos } = plan.amount;
        const oldest = new Date(Date.parse(request.at) - RESERVATION_MS).toISOString();
        statements.deleteReservationsBefore.run(oldest);
        add(accounts, plan.amount);
        const { id, at } = request;
        statements.insertReservation.run(id, JSON.stringify(accounts), tokens, nanos, at);
      };
      // A reservation survives a loss of power, because the vendor charges for the call in any case.
      integrity.write(() => transact(work, true));
      if (outcome === undefined) throw new Error("the reservation was not planned");
      return outcome;
    },
    async settleBudget(id, used) {
      checkOpen();
      const work = () => {
        const row = statements.findReservation.get(id) as Row | undefined;
        if (row === undefined) return;
        statements.deleteReservation.run(id);
        const accounts = JSON.parse(String(row.accounts)) as readonly string[];
        // The account of a session that was deleted meanwhile stays deleted.
        const known = accounts.filter((each) => statements.readBudget.get(each) !== undefined);
        add(known, {
          tokens: used.tokens - Number(row.tokens),
          nanos: used.nanos - Number(row.nanos),
        });
      };
      integrity.write(() => transact(work));
    },
    async readBudgets(accounts) {
      checkOpen();
      return integrity.read(() => accounts.map(readUse));
    },
  };
}
