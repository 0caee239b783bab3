import type { BudgetAmount } from "@dt/schema";
import {
  type BudgetStore,
  NO_USE,
  RESERVATION_MS,
  type ReservationOutcome,
} from "../../budgets/budget-store.js";
import { planReservation } from "../../budgets/plan-reservation.js";
import type { Database, PostgresRow } from "../database/open-connections.js";

/** Options of {@link createPostgresBudgets}. */
export interface PostgresBudgetsOptions {
  readonly database: Pick<Database, "query" | "transact">;
  readonly schema: string;
}

/** Creates the methods of a Postgres store for budgets. */
export function createPostgresBudgets(options: PostgresBudgetsOptions): BudgetStore {
  const { database, schema } = options;
  const budgets = `${schema}.budgets`;
  const reservations = `${schema}.reservations`;
  const readUses = `SELECT account, tokens, nanos FROM ${budgets} WHERE account = ANY($1)`;

  return {
    reserveBudget: (request) =>
      database.transact(async (run): Promise<ReservationOutcome> => {
        const accounts = request.accounts.map(({ account }) => account);
        // All requests create and lock rows in the same order, so that two of them never deadlock.
        await run({
          text: `INSERT INTO ${budgets} (account, tokens, nanos)
            SELECT account, 0, 0 FROM unnest($1::text[]) account ORDER BY account COLLATE "C"
            ON CONFLICT (account) DO NOTHING`,
          values: [accounts],
        });
        const rows = await run({
          text: `${readUses} ORDER BY account COLLATE "C" FOR UPDATE`,
          values: [accounts],
        });
        const plan = planReservation(request, toUses(accounts, rows));
        if (plan.type === "refused") return plan;
        const { tokens, nanos } = plan.amount;
        await run({
          text: `UPDATE ${budgets} SET tokens = tokens + $2, nanos = nanos + $3 WHERE account = ANY($1)`,
          values: [accounts, tokens, nanos],
        });
        await run({
          text: `DELETE FROM ${reservations} WHERE created_at < $1`,
          values: [new Date(Date.parse(request.at) - RESERVATION_MS).toISOString()],
        });
        await run({
          text: `INSERT INTO ${reservations} (id, accounts, tokens, nanos, created_at)
            VALUES ($1, $2, $3, $4, $5)`,
          values: [request.id, accounts, tokens, nanos, request.at],
        });
        return { type: "granted", output: plan.output };
      }),
    settleBudget: (id, used) =>
      database.transact(async (run) => {
        const [row] = await run({
          text: `DELETE FROM ${reservations} WHERE id = $1 RETURNING accounts, tokens, nanos`,
          values: [id],
        });
        if (row === undefined) return;
        const accounts = row.accounts as readonly string[];
        await run({
          text: `SELECT 1 FROM ${budgets} WHERE account = ANY($1) ORDER BY account COLLATE "C" FOR UPDATE`,
          values: [accounts],
        });
        // The account of a session that was deleted meanwhile stays deleted.
        await run({
          text: `UPDATE ${budgets} SET tokens = tokens + $2, nanos = nanos + $3 WHERE account = ANY($1)`,
          values: [accounts, used.tokens - Number(row.tokens), used.nanos - Number(row.nanos)],
        });
      }),
    async readBudgets(accounts) {
      return toUses(accounts, await database.query({ text: readUses, values: [accounts] }));
    },
  };
}

/** Returns the use of each account, in the order of the accounts. */
function toUses(accounts: readonly string[], rows: readonly PostgresRow[]): BudgetAmount[] {
  const uses = new Map(
    rows.map((row) => [
      String(row.account),
      { tokens: Number(row.tokens), nanos: Number(row.nanos) },
    ]),
  );
  return accounts.map((account) => uses.get(account) ?? NO_USE);
}
