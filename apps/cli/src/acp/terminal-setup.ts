import type { TerminalSetup } from "@dt/acp";

/** The set-up that an editor starts in a terminal. */
export const SETUP: TerminalSetup = {
  id: "dt-setup",
  name: "Choose a model and its key",
  description: "Runs `dt acp --setup` in a terminal",
  args: ["--setup"],
};
