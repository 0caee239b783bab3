import path from "node:path";
import type { ExternalAgent } from "@dt/schema";
import type { CommandContext } from "./command-context.js";

/**
 * Creates the external agent that runs the turns. Resolves with undefined if none is configured. A relative
 * path of the agent's program is resolved against the directory in which dt was started, because a session may
 * work in another directory.
 */
export async function findExternalAgent(
  agent: string | undefined,
  { environment, workspacePath }: Pick<CommandContext, "environment" | "workspacePath">,
): Promise<ExternalAgent | undefined> {
  if (agent === undefined) return undefined;
  // The Agent Client Protocol is loaded only if an external agent is configured.
  const { createExternalAgent, readAgentVariables } = await import("@dt/acp");
  const created = createExternalAgent({ agent, ...readAgentVariables(environment) });
  const { program } = created;
  if (!/[\\/]/.test(program.command)) return created;
  const command = path.resolve(workspacePath, program.command);
  return { ...created, program: { ...program, command } };
}
