import type { Command } from "../../command.js";

/** `/compress`: replaces the conversation by a summary. The session reports the outcome. */
export const compressCommand: Command = {
  name: "compress",
  description: "replaces the earlier conversation by a summary, to free context",
  run: async () => ({ type: "done", effect: { type: "compact" } }),
};
