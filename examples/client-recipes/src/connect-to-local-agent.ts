import { type AgentClient, connect } from "@dt/client";
import { findLocalAgents } from "@dt/client/node";

/** Connects to the agent that this person started last on this machine; returns undefined if no agent runs. */
export async function connectToLocalAgent(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<AgentClient | undefined> {
  const [agent] = await findLocalAgents({ environment });
  return agent && (await connect(agent.url, { token: agent.token }));
}
