import type { Usage } from "@dt/schema";
import type { SessionState } from "../../../record/session-state.js";
import type { Command } from "../../command.js";
import type { CommandServices } from "../../command-services.js";

/** Steps and tokens of all turns of a session. */
export interface SessionTotals {
  /** Number of replies of the model. */
  readonly steps: number;
  readonly usage: Usage;
}

/** Creates `/stats`, which shows turns, steps and tokens. */
export function createStatsCommand({
  currentModel,
}: Pick<CommandServices, "currentModel">): Command {
  return {
    name: "stats",
    description: "shows the turns, steps and tokens of this session",
    runsConcurrently: () => true,
    run: async ({ state }) => ({ type: "done", say: describe(state, currentModel()) }),
  };
}

function describe(
  state: SessionState & { readonly totals?: SessionTotals },
  model: string,
): string {
  const { totals } = state;
  return [
    `model: ${state.modelName ?? model}`,
    `turns: ${state.turns}`,
    ...(totals === undefined ? [] : [`steps: ${totals.steps}`, describeUsage(totals.usage)]),
    `context: ${state.contextTokens} tokens in the last request`,
    ...(state.queue.length === 0 ? [] : [`waiting prompts: ${state.queue.length}`]),
  ].join("\n");
}

function describeUsage(usage: Usage): string {
  const { inputTokens, outputTokens, thoughtTokens, cachedTokens } = usage;
  return `tokens: ${inputTokens} in (${cachedTokens} cached), ${outputTokens} out, ${thoughtTokens} thoughts`;
}
