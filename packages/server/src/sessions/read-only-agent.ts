import type { AgentPort } from "../agent-port.js";

/**
 * Stands in for the agent of a session whose store takes no commits at the moment: the log can be read,
 * and whoever wants more of it is told why not.
 */
export function createReadOnlyAgent(reason: unknown): AgentPort {
  const refuse = async (): Promise<never> => {
    throw reason;
  };
  return {
    prompt: refuse,
    answer: refuse,
    runCommand: refuse,
    cancel: refuse,
    withdraw: refuse,
    finish: async () => false,
    commands: () => [],
    close: async () => {},
  };
}
