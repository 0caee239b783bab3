import type { Command } from "../../command.js";

/** Replaces the conversation by a summary. The session itself says what came of it. */
export const compressCommand: Command = {
  name: "compress",
  description: "replaces the earlier conversation by a summary, to make room",
  run: async () => ({ type: "done", effect: { type: "compact" } }),
};
