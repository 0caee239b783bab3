/** Tokens, and money in billionths of a dollar, which is an integer, so that sums are exact. */
export interface BudgetAmount {
  readonly tokens: number;
  readonly nanos: number;
}

/**
 * Limits of one session, and of all sessions of its owner on one day (UTC). Money is in billionths of a
 * dollar. A missing limit does not limit anything.
 */
export interface BudgetLimits {
  readonly sessionTokens?: number;
  readonly sessionNanos?: number;
  readonly dayTokens?: number;
  readonly dayNanos?: number;
}

/** The largest amount that a call of a model can use. */
export interface BudgetRequest {
  readonly limits: BudgetLimits;
  /** The largest amount that the input can use. */
  readonly input: BudgetAmount;
  /** Number of output tokens without which the call is useless. */
  readonly leastOutput: number;
  /** Number of output tokens that the call can use at most. */
  readonly mostOutput: number;
  /** Price of one output token, in billionths of a dollar. */
  readonly outputNanos: number;
}

/** The use of one limit. What running calls have reserved is part of the use. */
export interface BudgetUse {
  readonly scope: "session" | "day";
  readonly unit: "tokens" | "nanos";
  readonly used: number;
  readonly limit: number;
  /** The day (UTC), for the scope "day". */
  readonly day?: string;
}

/** The answer to a {@link BudgetRequest}. */
export type BudgetDecision =
  | {
      readonly type: "granted";
      readonly reservationId: string;
      /** Number of output tokens that the call may use. */
      readonly output: number;
    }
  | {
      readonly type: "refused";
      /** The limit that the call would cross. */
      readonly use: BudgetUse;
      /** The smallest amount with which the call is useful, in the unit of the limit. */
      readonly needed: number;
    };

/** Keeps the budgets of one session and of its owner. All sessions of a user share the budget of the day. */
export interface BudgetPort {
  /** The user who pays for the session. */
  readonly owner: string;
  /** Reserves an amount before a call of a model, or refuses the call. Atomic among all sessions of the owner. */
  reserve(request: BudgetRequest): Promise<BudgetDecision>;
  /** Replaces a reservation with what the call has used. A reservation that is never settled counts as used. */
  settle(reservationId: string, used: BudgetAmount): Promise<void>;
  /** Reads the use of each limit. */
  readUse(limits: BudgetLimits): Promise<readonly BudgetUse[]>;
}
