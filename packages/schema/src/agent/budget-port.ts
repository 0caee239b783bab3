/**
 * An amount of tokens and of money. Money is counted in whole billionths of a dollar, so that sums are
 * exact.
 */
export interface BudgetAmount {
  readonly tokens: number;
  readonly nanos: number;
}

/**
 * Limits of one session, and of all sessions of its owner on one day (UTC). Money is in billionths of a
 * dollar. An absent field sets no limit.
 */
export interface BudgetLimits {
  readonly sessionTokens?: number;
  readonly sessionNanos?: number;
  readonly dayTokens?: number;
  readonly dayNanos?: number;
}

/** A request to reserve budget for one call of a model. */
export interface BudgetRequest {
  readonly limits: BudgetLimits;
  /** The largest amount that the input can use. */
  readonly input: BudgetAmount;
  /** Smallest number of output tokens with which the call is useful. */
  readonly leastOutput: number;
  /** Largest number of output tokens that the call can use. */
  readonly mostOutput: number;
  /** Price of one output token, in billionths of a dollar. */
  readonly outputNanos: number;
}

/** The amount of one limit that is used, including the reservations of running calls. */
export interface BudgetUse {
  readonly scope: "session" | "day";
  readonly unit: "tokens" | "nanos";
  readonly used: number;
  readonly limit: number;
  /** The day (UTC) to which the limit applies; set if the scope is "day". */
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
      /** The limit that the call would exceed, and its current use. */
      readonly use: BudgetUse;
      /** The smallest amount with which the call is useful, in the unit of the limit. */
      readonly needed: number;
    };

/** Keeps the budgets of one session and of its owner. All sessions of a user share the budget of the day. */
export interface BudgetPort {
  /** The user who pays for the session. */
  readonly owner: string;
  /**
   * Reserves an amount before a call of a model, or refuses the call. Concurrent calls in all sessions of
   * the owner cannot exceed a limit together.
   */
  reserve(request: BudgetRequest): Promise<BudgetDecision>;
  /**
   * Replaces a reservation with the amount that the call used. A reservation that is never settled counts
   * as used.
   */
  settle(reservationId: string, used: BudgetAmount): Promise<void>;
  /** Reads the use of each limit. */
  readUse(limits: BudgetLimits): Promise<readonly BudgetUse[]>;
}
