import type { AgentPort, ModesReply } from "@dt/schema";

/** Modes of a session without an agent. */
export const NO_MODES: ModesReply = {
  type: "modes",
  mode: "default",
  startMode: "default",
  others: [],
};

/**
 * Creates a substitute for the agent of a session whose store refuses commits. The log stays readable. Requests that
 * need the agent fail with the reason.
 */
export function createReadOnlyAgent(reason: unknown): AgentPort {
  return {
    async handle({ type }) {
      if (type === "list-commands") return { type: "commands", commands: [] };
      if (type === "finish") return { type: "changed", isChanged: false };
      if (type === "get-modes") return NO_MODES;
      throw reason;
    },
    close: async () => {},
  };
}
