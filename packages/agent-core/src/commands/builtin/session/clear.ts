import type { Command } from "../../command.js";

/** Forgets the conversation. */
export const clearCommand: Command = {
  name: "clear",
  description: "forgets the conversation; files and settings stay as they are",
  run: async () => ({
    type: "done",
    say: "the conversation is forgotten; the next prompt starts a new one",
    effect: { type: "clear" },
  }),
};
