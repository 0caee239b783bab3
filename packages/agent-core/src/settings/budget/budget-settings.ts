/** Limits of tokens and money. Money is in dollars, and a day is a day of UTC. */
export interface BudgetLimitSettings {
  readonly sessionTokens?: number;
  readonly sessionCost?: number;
  /** Limit of all sessions of one owner on one day. */
  readonly dayTokens?: number;
  readonly dayCost?: number;
}

/** The budgets that a person can set. */
export interface BudgetSettings extends BudgetLimitSettings {
  /** Number of output tokens, thoughts included, that one reply may have. */
  readonly replyTokens?: number;
  /** Limits for the owners of a tier, by its name. Each limit of a tier replaces the general limit of the same name. */
  readonly tiers?: Readonly<Record<string, BudgetLimitSettings>>;
}

const LIMIT_KEYS = ["sessionTokens", "sessionCost", "dayTokens", "dayCost"] as const;

const COUNT = { type: "integer", minimum: 1 } as const;
const MONEY = { type: "number", minimum: 0, maximum: 1_000_000 } as const;

const LIMITS = {
  sessionTokens: { ...COUNT, description: "Tokens of one session." },
  sessionCost: { ...MONEY, description: "Cost of one session, in dollars." },
  dayTokens: { ...COUNT, description: "Tokens of all sessions of an owner on one day (UTC)." },
  dayCost: {
    ...MONEY,
    description: "Cost of all sessions of an owner on one day (UTC), in dollars.",
  },
} as const satisfies Record<keyof BudgetLimitSettings, object>;

/** JSON Schema of {@link BudgetSettings}. */
export const BUDGET_SCHEMA = {
  type: "object",
  description:
    "Limits of tokens and money. A call of a model that could cross a limit is not made. Of several files, the lowest limits apply.",
  properties: {
    ...LIMITS,
    replyTokens: {
      ...COUNT,
      description:
        "Output tokens, thoughts included, that one reply may have. They are reserved before each call. Default: the maximum of the model if it is known, else 16384.",
    },
    tiers: {
      type: "object",
      description:
        "Limits of tiers, by the name of the tier. They apply to owners with that tier, and each one replaces the general limit of the same name.",
      additionalProperties: { type: "object", properties: LIMITS, additionalProperties: false },
    },
  } satisfies Record<keyof BudgetSettings, object>,
  additionalProperties: false,
} as const;

/** Returns the limits for the owners of a tier. Without a tier, or for an unknown one, the general limits apply. */
export function limitsOfTier(
  { tiers = {}, ...settings }: BudgetSettings,
  tier: string | undefined,
): BudgetLimitSettings {
  const own = tier !== undefined && Object.hasOwn(tiers, tier) ? tiers[tier] : undefined;
  return { ...pickLimits(settings), ...own };
}

/** Returns true if the cost of any owner is limited. */
export function limitsMoney({ tiers = {}, ...own }: BudgetSettings): boolean {
  return [own, ...Object.values(tiers)].some(
    ({ sessionCost, dayCost }) => sessionCost !== undefined || dayCost !== undefined,
  );
}

/** Merges the budgets of two files. Of two limits with the same name, the lower one applies, also inside each tier. */
export function mergeBudgets(one: BudgetSettings, other: BudgetSettings): BudgetSettings {
  const names = new Set([...Object.keys(one.tiers ?? {}), ...Object.keys(other.tiers ?? {})]);
  const tiers = [...names].map((name) => {
    const lower = lowerLimits(limitsOfTier(one, name), limitsOfTier(other, name));
    return [name, lower] as const;
  });
  const replyTokens = lowerOf(one.replyTokens, other.replyTokens);
  return {
    ...lowerLimits(one, other),
    ...(replyTokens !== undefined && { replyTokens }),
    ...(tiers.length > 0 && { tiers: Object.fromEntries(tiers) }),
  };
}

function lowerLimits(one: BudgetLimitSettings, other: BudgetLimitSettings): BudgetLimitSettings {
  const limits = LIMIT_KEYS.flatMap((key) => {
    const limit = lowerOf(one[key], other[key]);
    return limit === undefined ? [] : [[key, limit] as const];
  });
  return Object.fromEntries(limits);
}

function pickLimits(settings: BudgetLimitSettings): BudgetLimitSettings {
  return lowerLimits(settings, {});
}

function lowerOf(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
