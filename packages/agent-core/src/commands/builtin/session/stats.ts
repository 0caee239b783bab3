import type { Usage } from "@dt/schema";
import { toCost } from "../../../model/model-price.js";
import type { SessionState } from "../../../record/session-state.js";
import type { Command } from "../../command.js";
import type { CommandServices } from "../../command-services.js";

/** Creates `/stats`, which shows turns, steps and tokens. If prices are known, it also shows the cost. */
export function createStatsCommand({
  currentModel,
}: Pick<CommandServices, "currentModel">): Command {
  return {
    name: "stats",
    description: "shows the turns, steps, tokens and cost of this session",
    runsConcurrently: () => true,
    run: async ({ state }) => ({ type: "done", say: describe(state, currentModel()) }),
  };
}

function describe(state: SessionState, model: string): string {
  const { totals } = state;
  return [
    `model: ${state.modelName ?? model}`,
    `turns: ${state.turns}`,
    `steps: ${totals.steps}`,
    describeUsage(totals.usage),
    ...(totals.costNanos === undefined ? [] : [describeCost(totals.costNanos)]),
    `context: ${state.contextTokens} tokens in the last request`,
    ...(state.queue.length === 0 ? [] : [`waiting prompts: ${state.queue.length}`]),
  ].join("\n");
}

function describeCost(nanos: number): string {
  const { amount, currency } = toCost(nanos);
  return `cost: ${amount} ${currency}`;
}

function describeUsage(usage: Usage): string {
  const { inputTokens, outputTokens, thoughtTokens, cachedTokens } = usage;
  return `tokens: ${inputTokens} in (${cachedTokens} cached), ${outputTokens} out, ${thoughtTokens} thoughts`;
}
