import type { BudgetAmount, BudgetDecision, BudgetRequest, Usage } from "@dt/schema";
import { expect, test } from "vitest";
import type { Model, ModelRequest } from "../model/model.js";
import { ModelFailure } from "../model/retry/model-failure.js";
import { type BatchModel, withRetries } from "../model/retry/with-retries.js";
import { withBudget } from "./with-budget.js";

const USAGE: Usage = {
  inputTokens: 10_000,
  outputTokens: 1_000,
  thoughtTokens: 0,
  cachedTokens: 0,
};
const REQUEST: ModelRequest = { history: [], tools: [], signal: new AbortController().signal };

/** Wraps a model with a budget of `tokens`, and allows 1,000 output tokens for each reply. */
function limit(model: Model, tokens: number) {
  const settled: BudgetAmount[] = [];
  let used = 0;
  const port = {
    owner: "ada",
    async reserve({ input }: BudgetRequest): Promise<BudgetDecision> {
      const needed = input.tokens + 1_000;
      if (used + needed > tokens) {
        const use = { scope: "session", unit: "tokens", used, limit: tokens } as const;
        return { type: "refused", use, needed };
      }
      return { type: "granted", reservationId: `${settled.length}`, output: 1_000 };
    },
    async settle(_id: string, amount: BudgetAmount) {
      used += amount.tokens;
      settled.push(amount);
    },
    readUse: async () => [],
  };
  const budget = {
    port,
    replyTokens: 1_000,
    limitsFor: () => ({}),
    readUse: async () => [],
    lastUse: [],
  };
  const limited = withBudget(model, {
    budget,
    limits: { sessionTokens: tokens },
    price: undefined,
    contextTokens: () => 10_000,
    announce: async () => {},
  });
  return { settled, limited };
}

async function readAll(model: Model): Promise<void> {
  for await (const _ of model.stream(REQUEST));
}

test("each retry reserves for itself, and a retry that would cross the budget is not made [TEAM-04]", async () => {
  let calls = 0;
  const breaking: BatchModel = {
    name: "m",
    async *stream() {
      calls += 1;
      yield [{ type: "text", text: `part ${calls}` }];
      yield [{ type: "usage", usage: USAGE }];
      throw new ModelFailure("broken off", { isTransient: true });
    },
  };
  const { limited, settled } = limit(withRetries(breaking, { sleep: async () => {} }), 22_500);

  await expect(readAll(limited)).rejects.toThrow("budget");
  expect({ calls, used: settled.map(({ tokens }) => tokens) }).toEqual({
    calls: 2,
    used: [11_000, 11_000],
  });
});

test("a model without retries reserves once, and its reply is limited to the reserved output [TEAM-04]", async () => {
  const asked: (number | undefined)[] = [];
  const plain: Model = {
    name: "m",
    async *stream({ maxOutputTokens }) {
      asked.push(maxOutputTokens);
      yield { type: "usage", usage: USAGE };
    },
  };
  const { limited, settled } = limit(plain, 25_000);

  await readAll(limited);

  expect({ asked, used: settled.map(({ tokens }) => tokens) }).toEqual({
    asked: [1_000],
    used: [11_000],
  });
});
