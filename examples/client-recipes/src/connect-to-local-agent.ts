import { type AgentClient, connect } from "@dt/client";
import { findLocalAgents } from "@dt/client/node";

/** Connects to the latest agent of this person on this machine; undefined if none runs. */
export async function connectToLocalAgent(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<AgentClient | undefined> {
  const [agent] = await findLocalAgents({ environment });
  return agent && (await connect(agent.url, { token: agent.token }));
}
