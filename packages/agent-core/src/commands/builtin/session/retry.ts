import type { Command } from "../../command.js";

/** Runs the turn that failed last again. */
export const retryCommand: Command = {
  name: "retry",
  description: "runs the turn that failed last again, from its last finished step",
  run: async () => ({ type: "done", effect: { type: "retry" } }),
};
