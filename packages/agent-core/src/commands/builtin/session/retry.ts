import type { Command } from "../../command.js";

/** `/retry`: continues the last failed turn. */
export const retryCommand: Command = {
  name: "retry",
  description: "continues the last failed turn from its last finished step",
  run: async () => ({ type: "done", effect: { type: "retry" } }),
};
