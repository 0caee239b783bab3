import type { Command } from "../../command.js";

/** `/clear`: removes the conversation from the context of the model. */
export const clearCommand: Command = {
  name: "clear",
  description: "removes the conversation; files and settings stay",
  run: async () => ({
    type: "done",
    say: "the conversation is removed; the next prompt starts a new one",
    effect: { type: "clear" },
  }),
};
