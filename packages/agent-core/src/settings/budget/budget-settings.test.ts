import { expect, test } from "vitest";
import { limitsOfTier, mergeBudgets } from "./budget-settings.js";

test("the lower of two limits applies, and a limit that only one file sets applies too [TEAM-04]", () => {
  const one = { sessionTokens: 10, dayCost: 5, replyTokens: 100 };
  const other = { sessionTokens: 20, dayCost: 1, dayTokens: 7 };

  expect(mergeBudgets(one, other)).toEqual({
    sessionTokens: 10,
    dayCost: 1,
    dayTokens: 7,
    replyTokens: 100,
  });
});

test("a file cannot raise a limit with a tier of its own [TEAM-04]", () => {
  const host = { dayTokens: 100, tiers: { gold: { dayTokens: 500 } } };
  const workspace = { tiers: { gold: { dayTokens: 900 }, silver: { dayTokens: 900 } } };

  const merged = mergeBudgets(host, workspace);

  expect(limitsOfTier(merged, "gold")).toEqual({ dayTokens: 500 });
  expect(limitsOfTier(merged, "silver")).toEqual({ dayTokens: 100 });
  expect(limitsOfTier(merged, undefined)).toEqual({ dayTokens: 100 });
});

test("a tier replaces only the limits that it names", () => {
  const budget = { sessionTokens: 10, dayTokens: 100, tiers: { gold: { dayTokens: 500 } } };

  expect(limitsOfTier(budget, "gold")).toEqual({ sessionTokens: 10, dayTokens: 500 });
  expect(limitsOfTier(budget, "constructor")).toEqual({ sessionTokens: 10, dayTokens: 100 });
});
