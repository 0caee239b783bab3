import type { BudgetAmount, BudgetRequest, BudgetUse } from "@dt/schema";

/** An account of a budget, and its limits for one reservation. */
export interface LimitedAccount {
  readonly account: string;
  readonly tokens?: number;
  readonly nanos?: number;
}

/** A reservation that a call of a model needs. */
export interface ReservationRequest extends Omit<BudgetRequest, "limits"> {
  readonly id: string;
  readonly accounts: readonly LimitedAccount[];
  /** Time of the request, ISO 8601. */
  readonly at: string;
}

/** The outcome of a {@link ReservationRequest}. */
export type ReservationOutcome =
  | { readonly type: "granted"; readonly output: number }
  | RefusedReservation;

/** The limit that a reservation would cross. */
export interface RefusedReservation extends Pick<BudgetUse, "unit" | "used" | "limit"> {
  readonly type: "refused";
  readonly account: string;
  /** The smallest amount with which the call is useful, in the unit of the limit. */
  readonly needed: number;
}

/**
 * Stores the use of budgets. The use of an account is the sum of what was settled and of all reservations. A
 * reservation whose process died is never settled, so it stays part of the use.
 */
export interface BudgetStore {
  /**
   * Reserves in all accounts of a request, or in none. The reservation is atomic, even if other processes use the
   * store.
   */
  reserveBudget(request: ReservationRequest): Promise<ReservationOutcome>;
  /**
   * Replaces a reservation with what was used. Does nothing if there is no such reservation, for example
   * because it is settled already.
   */
  settleBudget(id: string, used: BudgetAmount): Promise<void>;
  /** Reads the use of each account, in the order of `accounts`. The use of an unknown account is {@link NO_USE}. */
  readBudgets(accounts: readonly string[]): Promise<readonly BudgetAmount[]>;
}

/** The use of an account that is not stored. */
export const NO_USE: BudgetAmount = { tokens: 0, nanos: 0 };

/** Time after which the record of a reservation that was never settled is removed. Its amount stays part of the use. */
export const RESERVATION_MS = 7 * 24 * 60 * 60_000;

/** Returns the account of a session. It is deleted with the session. */
export function sessionAccount(contextId: string): string {
  return `session ${contextId}`;
}

/** Returns the account of a user on a day (UTC), such as `2026-01-31`. */
export function dayAccount(day: string, user: string): string {
  return `day ${day} ${user}`;
}
