import { toCost, type Usage } from "@dt/schema";
import { describeUse } from "../../../budget/describe-budget.js";
import type { SessionState } from "../../../record/session-state.js";
import type { Command } from "../../command.js";
import type { CommandServices } from "../../command-services.js";

/** Creates `/stats`, which shows turns, steps, tokens and budgets. If prices are known, it also shows the cost. */
export function createStatsCommand({
  currentModel,
  readBudgets,
}: Pick<CommandServices, "currentModel" | "readBudgets">): Command {
  return {
    name: "stats",
    description: "shows the turns, steps, tokens, cost and budgets of this session",
    runsConcurrently: () => true,
    run: async ({ state }) => ({
      type: "done",
      say: [
        ...describe(state, currentModel()),
        ...((await readBudgets?.()) ?? []).map(describeUse),
      ].join("\n"),
    }),
  };
}

function describe(state: SessionState, model: string): readonly string[] {
  const { totals, modelName = model } = state;
  return [
    `model: ${modelName}`,
    `turns: ${state.turns}`,
    `steps: ${totals.steps}`,
    describeUsage(totals.usage, modelName),
    ...(totals.costNanos === undefined ? [] : [describeCost(totals.costNanos)]),
    `context: ${state.contextTokens} tokens in the last request`,
    ...(state.queue.length === 0 ? [] : [`waiting prompts: ${state.queue.length}`]),
  ];
}

function describeCost(nanos: number): string {
  const { amount, currency } = toCost(nanos);
  return `cost: ${amount} ${currency}`;
}

function describeUsage(usage: Usage, modelName: string): string {
  const { inputTokens, outputTokens, thoughtTokens, cachedTokens } = usage;
  // Without the reason, a person who tries dt without a key might think that the count is broken.
  if (modelName === "offline" && inputTokens + outputTokens === 0)
    return "tokens: 0, because the offline model counts none; budgets estimate them";
  return `tokens: ${inputTokens} in (${cachedTokens} cached), ${outputTokens} out, ${thoughtTokens} thoughts`;
}
